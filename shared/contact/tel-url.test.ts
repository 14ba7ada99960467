import { expect, test } from 'vitest';
import { makeTelUrl } from './tel-url.ts';

test.each([
  ['+1 555 0100', 'tel:+15550100'],
  ['+1 (555) 010-0199', 'tel:+15550100199'],
  ['(+43) 1/234.56', 'tel:+43123456'],
  ['+43 (0) 1 234567', 'tel:+431234567'],
  ['0043 (0) 1 234567', 'tel:00431234567'],
  ['(0) 1 234567', 'tel:01234567'],
  ['555 0100 ext. 12', 'tel:5550100'],
  ['555 0100 x12', 'tel:5550100'],
  ['555 0100 #12', 'tel:5550100'],
  ['０１２３４５', 'tel:012345'],
])('%s is dialed as %s', (phone, url) => {
  expect(makeTelUrl(phone)).toBe(url);
});

test.each(['', '+', '12', 'call me', '1-800-FLOWERS', '555 0100 or 555 0101', '1+2345', '1'.repeat(16), '*31#5550100', '5550100;phone-context=x'])(
  '‘%s’ is not a phone number',
  (phone) => {
    expect(makeTelUrl(phone)).toBeUndefined();
  },
);
