import { expect, test } from 'vitest';
import { getMailboxKey, isAutomaticAddress, listAddressForms, normalizeAddress, normalizeMailbox } from './email-address.ts';

test('addresses are equal regardless of case, Unicode composition and domain encoding', () => {
  const forms = [' Ada@CAFE\u0301.example ', 'ada@caf\u00e9.example', 'ADA@XN--CAF-DMA.example'];
  expect(forms.map(normalizeAddress)).toEqual(forms.map(() => 'ada@xn--caf-dma.example'));
  expect(normalizeAddress('ada@cafe.example')).toBe('ada@cafe.example');
});

test('every form in which an address may be stored is listed', () => {
  for (const typed of ['ada@caf\u00e9.example', 'ada@xn--caf-dma.example']) {
    expect([...listAddressForms(typed)].sort()).toEqual(['ada@caf\u00e9.example', 'ada@xn--caf-dma.example']);
  }
  expect(listAddressForms('Ada@Example.org')).toEqual(['ada@example.org']);
  // An invalid domain is compared as is.
  expect(listAddressForms('Ada@xn--\u00e9 \u00e9')).toEqual(['ada@xn--\u00e9 \u00e9']);
});

test.each([
  ['sales@example.com', 'sales@example.com'],
  ['The Sales <Sales@Example.COM>', 'sales@example.com'],
  ['sales@bücher.example', 'sales@xn--bcher-kva.example'],
  ['"two..dots"@example.com', 'two..dots@example.com'],
])('the address of %s is %s', (mailbox, address) => {
  expect(normalizeMailbox(mailbox)).toBe(address);
});

test.each([
  ['Ada+news@Bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada+1+2@example.org', 'ada@example.org'],
  ['a.da@example.org', 'a.da@example.org'],
  ['a.d.a+x@gmail.com', 'ada@gmail.com'],
  ['A.da@GoogleMail.com', 'ada@gmail.com'],
  ['+1@example.org', '+1@example.org'],
])('for limits, %s is the same address as %s', (email, key) => {
  expect(getMailboxKey(email)).toBe(key);
});

test.each([
  'no-reply@example.org',
  'noreply@example.org',
  'No_Reply+tag@example.org',
  'do-not-reply@example.org',
  'noreply-billing@example.org',
  'MAILER-DAEMON@example.org',
  'postmaster@example.org',
  'bounce@example.org',
  'owner-list@example.org',
  'list-request@example.org',
])('%s belongs to a program', (email) => {
  expect(isAutomaticAddress(email)).toBe(true);
});

test.each([
  'info@example.org',
  'sales@example.org',
  'reply@example.org',
  'requests@example.org',
  'bouncer@example.org',
  'norbert.reply@example.org',
  'product-owner@example.org',
  'nobody.knows@example.org',
])('%s may belong to a person', (email) => {
  expect(isAutomaticAddress(email)).toBe(false);
});
