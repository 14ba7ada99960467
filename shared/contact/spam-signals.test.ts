import { expect, test } from 'vitest';
import { describeSpamReasons } from './spam-signals.ts';

const fields = { name: 'Ada Example', message: 'Mondays.' };
const links = 'https://a.example https://b.example https://c.example';

test.each([
  ['honeypot', {}, ['hidden field filled in']],
  ['too-fast', {}, ['sent within two seconds']],
  ['links', { name: 'www.spam.example' }, ['link in the name']],
  ['links', { message: links }, ['three links or more in the message']],
  ['links', {}, ['links']],
  [
    'honeypot,too-fast,links',
    { name: 'www.spam.example', message: links },
    ['hidden field filled in', 'sent within two seconds', 'link in the name', 'three links or more in the message'],
  ],
  ['network-rate,total-rate', {}, ['many requests from the same network', 'many requests at the same time']],
  ['of-another-version', {}, ['of-another-version']],
  [null, {}, []],
])('%j of a request with %j is described as %j', (reasons, changes, words) => {
  expect(describeSpamReasons(reasons, { ...fields, ...changes })).toEqual(words);
});
