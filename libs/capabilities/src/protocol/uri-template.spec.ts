import { compileUriTemplate } from './uri-template.js';

describe('compileUriTemplate', () => {
  it('takes one segment for a simple expression and anything for a reserved one', () => {
    const simple = compileUriTemplate('notes://{user}/items/{id}');
    const reserved = compileUriTemplate('file:///{+path}');

    expect(simple.match('notes://ada/items/7')).toEqual({ user: 'ada', id: '7' });
    expect(simple.match('notes://a%20b/items/%C3%A9')).toEqual({ user: 'a b', id: 'é' });
    expect(reserved.match('file:///a/b.txt')).toEqual({ path: 'a/b.txt' });
  });

  it.each([
    'notes://ada/items/7/more',
    'notes://ada/b/items/7',
    'xnotes://ada/items/7',
    'notes:///items/7',
    'notes://ada/items/%E0%A4%A',
    'notes://ada/items/7?x=1',
  ])('does not match %s', (uri) => {
    expect(compileUriTemplate('notes://{user}/items/{id}').match(uri)).toBeUndefined();
  });

  it('takes every other character as it is', () => {
    const template = compileUriTemplate('a+b://x.y/{id}');

    expect(template.match('a+b://x.y/1')).toEqual({ id: '1' });
    expect(template.match('aab://x.y/1')).toBeUndefined();
    expect(template.match('a+b://xzy/1')).toBeUndefined();
  });

  it.each(['a://{id}/{id}', 'a://{/id}', 'a://{id,x}', 'a://{id', 'a://b'])('refuses %s', (template) => {
    expect(() => compileUriTemplate(template)).toThrow(TypeError);
  });
});
