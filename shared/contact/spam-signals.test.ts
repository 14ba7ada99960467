import { expect, test } from 'vitest';
import { describeSpamReasons, findSpamSignals } from './spam-signals.ts';

const fields = { name: 'Ada Example', message: 'Mondays.' };
const links = 'https://a.example https://b.example https://c.example';

test.each([
  [0, ['too-fast']],
  [1_999, ['too-fast']],
  [2_000, []],
  [3_600_000, []],
])('a request that was completed in %j ms has the signals %j', (filledInMs, signals) => {
  expect(findSpamSignals(fields, { filled_in_ms: filledInMs })).toEqual(signals);
});

test.each([
  [undefined, []],
  ['', []],
  ['  ', []],
  ['x', ['honeypot']],
])('a request with %j in the hidden field has the signals %j', (honeypot, signals) => {
  expect(findSpamSignals(fields, { honeypot })).toEqual(signals);
});

test.each([
  [{ name: 'See HTTP://spam.example' }, ['links']],
  [{ name: 'www.spam.example' }, ['links']],
  [{ name: 'Example.com' }, []],
  [{ name: 'awww.' }, []],
  [{ message: null }, []],
  [{ message: 'example.com, example.org, example.net and example.io' }, []],
  [{ message: 'HTTPS://A.EXAMPLE,HTTPS://B.EXAMPLE,HTTPS://C.EXAMPLE' }, ['links']],
  [{ message: 'http://a.example and https://www.b.example' }, []],
  [{ message: 'http://a.example, https://www.b.example and www.c.example' }, ['links']],
  [{ name: 'www.spam.example', message: links }, ['links']],
])('a request with %j has the signals %j', (changes, signals) => {
  expect(findSpamSignals({ ...fields, ...changes }, {})).toEqual(signals);
});

test('a request can have several signals', () => {
  expect(findSpamSignals({ ...fields, message: links }, { honeypot: 'x', filled_in_ms: 0 })).toEqual([
    'honeypot',
    'too-fast',
    'links',
  ]);
});

test.each([
  [['honeypot'], {}, ['hidden field filled in']],
  [['too-fast'], {}, ['sent within two seconds']],
  [['links'], { name: 'www.spam.example' }, ['link in the name']],
  [['links'], { message: links }, ['three links or more in the message']],
  [['links'], {}, ['links']],
  [['links'], { message: null }, ['links']],
  [['links'], { message: 'https://a.example https://b.example' }, ['links']],
  [
    ['honeypot', 'too-fast', 'links'],
    { name: 'www.spam.example', message: links },
    ['hidden field filled in', 'sent within two seconds', 'link in the name', 'three links or more in the message'],
  ],
  [['network-rate', 'total-rate'], {}, ['many requests from the same network', 'many requests at the same time']],
  [[], {}, []],
] as const)('the reasons %j for a request with %j are described as %j', (reasons, changes, words) => {
  expect(describeSpamReasons(reasons, { ...fields, ...changes })).toEqual(words);
});
