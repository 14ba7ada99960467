import { expect, test } from 'vitest';
import { suggestAddress } from './suggest-address.ts';

test.each([
  ['gmial.com', 'gmail.com'],
  ['gamil.com', 'gmail.com'],
  ['gmal.com', 'gmail.com'],
  ['gmaill.com', 'gmail.com'],
  ['gmail.con', 'gmail.com'],
  ['GMAIL.CO', 'gmail.com'],
  ['hotmial.com', 'hotmail.com'],
  ['outlok.com', 'outlook.com'],
  ['yahooo.com', 'yahoo.com'],
])('for %s the suggestion is %s', (typed, meant) => {
  expect(suggestAddress(` Anna.O@${typed} `)).toBe(`Anna.O@${meant}`);
});

test.each([
  ...['gmail.com', 'mail.com', 'ymail.com', 'email.com', 'yahoo.co.uk', 'yahoo.de', 'gmx.de', 'gmail.de', 'gmial.de'],
  ...['example.org', 'mai.com', ''],
])('for %j there is no suggestion', (domain) => {
  expect(suggestAddress(`anna@${domain}`)).toBeUndefined();
  expect(suggestAddress(domain)).toBeUndefined();
});
