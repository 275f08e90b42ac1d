import type { IncomingMessage } from 'node:http';
import { isForgeable, isSameOrigin } from './request-origin.js';

const request = (headers: object, method = 'POST'): IncomingMessage =>
  ({ method, headers }) as IncomingMessage;
const host = 'desk.example.com';

describe('isSameOrigin', () => {
  it.each([
    [{ host, origin: 'https://desk.example.com' }, undefined, true],
    [{ host: 'Desk.Example.com', origin: 'https://desk.example.com' }, undefined, true],
    [{ host, origin: 'https://desk.example.com:8443' }, undefined, false],
    [{ host, origin: 'https://desk.example.com.evil.test' }, undefined, false],
    [{ host, origin: 'https://desk.example.com@evil.test' }, undefined, false],
    [{ origin: 'https://desk.example.com' }, undefined, false],
    [{ host, origin: 'null' }, undefined, false],
    [{ host }, undefined, false],
    [{ host, origin: 'null', 'sec-fetch-site': 'same-origin' }, undefined, true],
    [{ host, 'sec-fetch-site': 'same-site' }, undefined, false],
    [{ host: 'internal:3000', origin: 'https://desk.example.com' }, 'https://desk.example.com/app', true],
    [{ host, origin: 'http://desk.example.com' }, 'https://desk.example.com', false],
    [{ host: 'evil.test', origin: 'https://evil.test' }, 'https://desk.example.com', false],
  ])('of %j with public URL %s is %s', (headers, publicUrl, expected) => {
    expect(isSameOrigin(request(headers), publicUrl)).toBe(expected);
  });
});

describe('isForgeable', () => {
  it.each([
    [{ 'sec-fetch-site': 'cross-site' }, 'POST', true],
    [{ 'sec-fetch-site': 'same-site', 'content-type': 'text/plain' }, 'POST', true],
    [{ 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' }, 'POST', false],
    [{ 'sec-fetch-site': 'cross-site', authorization: 'Bearer x' }, 'POST', false],
    [{ 'sec-fetch-site': 'cross-site' }, 'GET', false],
    [{ 'sec-fetch-site': 'same-origin' }, 'POST', false],
    [{}, 'POST', false],
    [{ 'sec-fetch-site': 'cross-site', authorization: 'Basic dTpw' }, 'POST', true],
    [{ 'sec-fetch-site': 'cross-site', authorization: 'Negotiate YII' }, 'POST', true],
    [{ host, origin: 'http://evil.test' }, 'POST', true],
    [{ host, origin: 'null' }, 'POST', true],
    [{ host, origin: 'http://evil.test', authorization: 'Bearer x' }, 'POST', false],
    [{ host, origin: 'http://desk.example.com' }, 'POST', false],
  ])('for %j by %s is %s', (headers, method, expected) => {
    expect(isForgeable(request(headers, method), undefined)).toBe(expected);
  });
});
