import { expect, test } from 'vitest';
import { Day, Hour, Second } from '../../shared/time.ts';
import { assessCertificate } from './check-certificate.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');

/** A certificate that is valid from and until so many milliseconds from now. */
const certify = (from: number, until: number, namesHost = true) => ({
  validFrom: new Date(NOW + from),
  validUntil: new Date(NOW + until),
  namesHost,
});

test.each([
  ['of three months, with more than 14 days left', certify(-70 * Day, 20 * Day), 'ok', /until 2026-12-13\.$/],
  ['of three months, with 14 days left', certify(-76 * Day, 14 * Day), 'warn', /until 2026-12-07 only/],
  ['of hours, that is renewed in time', certify(-8 * Hour, 4 * Hour), 'ok', /one of 12 hours, .* before 2026-11-23 16:00 UTC/],
  ['of hours, that should have been renewed', certify(-10 * Hour, 2 * Hour), 'warn', /only/],
  ['that has ended', certify(-90 * Day, -Second), 'fail', /browsers refuse it/],
  ['of another host', certify(-Day, 80 * Day, false), 'fail', /another host's/],
  ['that can’t be read from here', { unreachable: 'ECONNREFUSED' }, 'info', /ECONNREFUSED/],
  ['without HTTPS', undefined, 'info', /no HTTPS/],
])('a certificate %s', (_what, certificate, state, detail) => {
  expect(assessCertificate(certificate, NOW)).toEqual({ state, detail: expect.stringMatching(detail) });
});
