import { expect, test } from 'vitest';
import type { CrmRecord } from './crm-provider.ts';
import { renderLeadMarkdown, toAsciiAddress, toInternationalNumber } from './lead-fields.ts';

const makeRecord = (message: string): CrmRecord => ({
  submission_id: '0198b7f0-6a3c-4c1e-9d52-000000000001',
  name: 'Ada King Lovelace',
  email: 'Ada@Example.org',
  company: 'Sweets & Sons',
  phone: null,
  industry: null,
  industry_label: null,
  message,
  submitted_at: '2025-11-03T09:00:00.000Z',
  received_at: '2025-11-03T09:00:01.000Z',
  source: {},
});

test.each([
  ['[your account](https://evil.example)', '\\[your account\\](https://evil.example)'],
  ['![](https://evil.example/seen.png)', '!\\[\\](https://evil.example/seen.png)'],
  ['<img src="https://evil.example/seen.png">', '\\<img src="https://evil.example/seen.png">'],
  ['\\[so](https://evil.example)', '\\\\\\[so\\](https://evil.example)'],
])('Markdown in a visitor’s message can’t form a link or picture: %s', (message, shown) => {
  expect(renderLeadMarkdown(makeRecord(message))).toContain(shown);
});

test('an internationalized domain is converted to its ASCII form', () => {
  expect(toAsciiAddress('Ada@Bücher.example')).toBe('ada@xn--bcher-kva.example');
  expect(toAsciiAddress('Ada@Example.org')).toBe('ada@example.org');
});

test.each([
  ['+1 (555) 010-0000', '+15550100000'],
  ['+44 (0)20 7946 0000', '+442079460000'],
  ['0043 1 234567', '+431234567'],
  ['01 234567', null],
  ['+1 555 0100 ext. 7', null],
  ['', null],
  [null, null],
])('a phone number typed as %j becomes %j in E.164', (typed, number) => {
  expect(toInternationalNumber(typed)).toBe(number);
});
