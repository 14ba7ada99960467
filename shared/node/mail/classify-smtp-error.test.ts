import { expect, test } from 'vitest';
import { classifySmtpError, isConfigurationError } from './classify-smtp-error.ts';

const makeError = (properties: object) => Object.assign(new Error('x'), properties);

test.each([
  [makeError({ code: 'EENVELOPE', responseCode: 550 }), 'dead', 'smtp-550'],
  [makeError({ code: 'EMESSAGE', responseCode: 554 }), 'dead', 'smtp-554'],
  [makeError({ code: 'EENVELOPE', responseCode: 450 }), 'retry', 'smtp-450'],
  [makeError({ code: 'EAUTH', responseCode: 535 }), 'retry', 'smtp-535'],
  [makeError({ code: 'EPROTOCOL', responseCode: 554 }), 'retry', 'smtp-554'],
  [makeError({ code: 'EENVELOPE', responseCode: 530 }), 'retry', 'smtp-530'],
  [makeError({ code: 'ETLS' }), 'retry', 'smtp-ETLS'],
  [makeError({ code: 'ETLS', responseCode: 502 }), 'retry', 'smtp-ETLS'],
  [makeError({ code: 'ECONNECTION' }), 'retry', 'smtp-ECONNECTION'],
  [makeError({ code: 'ETIMEDOUT' }), 'retry', 'smtp-ETIMEDOUT'],
  [makeError({ code: 'EENVELOPE', responseCode: 421 }), 'retry', 'smtp-421'],
  [makeError({ code: 'EMESSAGE', responseCode: 452 }), 'retry', 'smtp-452'],
  [makeError({ code: 'EENVELOPE', responseCode: 503 }), 'retry', 'smtp-503'],
  [makeError({ code: 'ESOCKET', originalCode: 'ECONNREFUSED' }), 'retry', 'smtp-ECONNREFUSED'],
  ['odd', 'retry', 'smtp-unexpected-error'],
])('an SMTP failure is classified (%#: %s)', (error, result, reason) => {
  expect(classifySmtpError(error, false)).toMatchObject({ result, reason });
});

test.each([
  ['a refused login', { code: 'EAUTH', responseCode: 535 }],
  ['a missing STARTTLS', { code: 'ETLS', responseCode: 502 }],
  ['a server that requires TLS', { code: 'EENVELOPE', responseCode: 530 }],
  ['an untrusted certificate', { code: 'ESOCKET', originalCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
  ['another host’s certificate', { code: 'ESOCKET', originalCode: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
  ['TLS on a port without TLS', { code: 'ESOCKET', originalCode: 'ERR_SSL_WRONG_VERSION_NUMBER' }],
])('%s is a configuration error, which an operator must fix', (_what, properties) => {
  expect(isConfigurationError(makeError(properties))).toBe(true);
});

test.each([
  ['an unavailable login service', { code: 'EAUTH', responseCode: 454 }],
  ['a closed port', { code: 'ESOCKET', originalCode: 'ECONNREFUSED' }],
  ['an unknown recipient', { code: 'EENVELOPE', responseCode: 550 }],
])('%s is not a configuration error', (_what, properties) => {
  expect(isConfigurationError(makeError(properties))).toBe(false);
});

test.each([
  ['550 5.1.1 <a@example.org>: no such user', 550, true],
  ['550 no such user', 550, true],
  ['450 4.1.2 <a@exampel.org>: domain not found', 450, true],
  ['554 5.7.1 <a@example.org>: relay access denied', 554, false],
  ['550 relay not permitted', 550, false],
  ['450 4.7.1 too many recipients today', 450, false],
  ['452 too many recipients', 452, false],
  ['421 closing', 421, false],
  ['530 log in first', 530, false],
])('the response shows whether the address is refused: %s', (response, responseCode, isRefused) => {
  const error = makeError({ code: 'EENVELOPE', command: 'RCPT TO', response, responseCode });

  expect(classifySmtpError(error, false).isRecipientRefused).toBe(isRefused);
  expect(classifySmtpError(Object.assign(error, { command: 'DATA' }), false).isRecipientRefused).toBe(false);
});

test('a failure is ambiguous only if the whole mail was transmitted without a response', () => {
  const lost = makeError({ code: 'ECONNECTION' });
  const refused = makeError({ code: 'ECONNECTION', responseCode: 421 });

  expect(classifySmtpError(lost, true).isAmbiguous).toBe(true);
  expect(classifySmtpError(lost, false).isAmbiguous).toBe(false);
  expect(classifySmtpError(refused, true).isAmbiguous).toBe(false);
});

test.each([
  ['554 5.7.1 Spam message rejected', true],
  ['550 5.7.1 Message contains a blocked URL', true],
  ['550 This message scored 14.2 spam points', true],
  ['554-mx.example.org\n554 Virus found', true],
  ['554 Transaction failed', false],
  ['552 5.3.4 Message too big', false],
  ['550 5.1.1 No such user', false],
  ['550 refused', false],
  ['451 4.7.1 Try again later, this looks like spam', false],
])('the response shows whether the content is refused: %s', (response, isRefused) => {
  const error = makeError({ code: 'EMESSAGE', command: 'DATA', response, responseCode: Number(response.slice(0, 3)) });

  expect(classifySmtpError(error, true).isContentRefused).toBe(isRefused);
  expect(classifySmtpError(Object.assign(error, { command: 'RCPT TO' }), false).isContentRefused).toBe(false);
});
