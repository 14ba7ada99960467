import type { DeliveryError } from '../deliveries/delivery-error.ts';

/** What an operator should know and do, by the code at the end of a client's reason. */
const sentences: Readonly<Record<string, string>> = {
  'http-timed-out': 'No answer came within 10 seconds.',
  'http-ADDRESS_REFUSED':
    'The address is private, on this machine or without https; add it to OUTBOUND_ALLOW if it is meant (link-local addresses are never called).',
  'http-redirect': 'It answers with a redirect, which is not followed; set the final address.',
  'http-answer-too-large': 'Its answer is far too large; is the address right?',
  'http-ENOTFOUND': 'The host name is not known; check its spelling and the name server.',
  'http-EAI_AGAIN': 'The name server doesn’t answer.',
  'http-ECONNREFUSED': 'Nothing listens at that address and port.',
  'http-ECONNRESET': 'It ended the connection without an answer.',
  'http-UND_ERR_SOCKET': 'It ended the connection without an answer.',
  'http-EHOSTUNREACH': 'There is no way to that address from here.',
  'http-ENETUNREACH': 'There is no way to that address from here.',
};

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|HOSTNAME|SSL/;

/** Says in one sentence why a call of the outbound client had no usable answer. */
export function describeCallFailure({ reason }: DeliveryError): string {
  const known = sentences[reason];
  if (known !== undefined) return known;

  return CERTIFICATE.test(reason)
    ? `Its certificate is not trusted (${reason}); a private authority is made known with NODE_EXTRA_CA_CERTS.`
    : `The call failed (${reason}).`;
}
