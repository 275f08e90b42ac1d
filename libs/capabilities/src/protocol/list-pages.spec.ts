import { ListPages } from './list-pages.js';

interface Entry {
  readonly name: string;
}

const ITEMS: readonly Entry[] = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));

describe('ListPages', () => {
  let serialized: number;
  const pagesOf = (pageSize: number): ListPages<Entry> => {
    serialized = 0;
    return new ListPages(
      'items',
      ITEMS,
      (item) => {
        serialized++;
        return JSON.stringify(item);
      },
      pageSize,
    );
  };
  const read = (page: string): { items: Entry[]; nextCursor?: string } =>
    JSON.parse(`{${page}}`) as { items: Entry[]; nextCursor?: string };

  it('gives every visible item once, in order, and no cursor on the last page', () => {
    const pages = pagesOf(2);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = read(pages.page(ITEMS, cursor));
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);

    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('serializes an item once, however often and for whomever it is listed', () => {
    const pages = pagesOf(10);
    for (let round = 0; round < 3; round++) {
      pages.page(ITEMS, undefined);
      pages.page(ITEMS.slice(1, 3), undefined);
    }

    expect(serialized).toBe(ITEMS.length);
    expect(read(pages.page(ITEMS.slice(1, 3), undefined)).items).toEqual([{ name: 'b' }, { name: 'c' }]);
    expect(read(pages.page([], undefined)).items).toEqual([]);
  });

  it('takes a cursor only for the list it was issued for', () => {
    const pages = pagesOf(2);
    const cursor = read(pages.page(ITEMS, undefined)).nextCursor;

    expect(read(pages.page(ITEMS, cursor)).items).toEqual([{ name: 'c' }, { name: 'd' }]);
    for (const bad of ['', 'x', `${cursor}0`, 2, null, {}]) {
      expect(() => pages.page(ITEMS, bad)).toThrow(expect.objectContaining({ code: -32602 }));
    }
    expect(() => pages.page(ITEMS.slice(1), cursor)).toThrow(expect.objectContaining({ code: -32602 }));
  });
});
