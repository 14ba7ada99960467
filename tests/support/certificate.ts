import { generateKeyPairSync, sign } from 'node:crypto';

/*
 * Just enough of X.509 (RFC 5280) in DER for a self-signed certificate: Node reads certificates but
 * makes none, and not every machine has OpenSSL's command.
 */

function encode(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];

  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => encode(0x30, ...parts);
const identifier = (hex: string) => encode(0x06, Buffer.from(hex, 'hex'));
const time = (date: Date) =>
  encode(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));

const COMMON_NAME = '550403';
const ECDSA_WITH_SHA256 = sequence(identifier('2a8648ce3d040302'));
const SUBJECT_ALT_NAME = identifier('551d11');
const BASIC_CONSTRAINTS = identifier('551d13');
const DAY = 24 * 60 * 60 * 1000;

/** A fresh key and a certificate for `host`, signed by itself, in PEM; valid today. */
export function makeCertificate(host: string): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(
    encode(0x31, sequence(identifier(COMMON_NAME), encode(0x0c, Buffer.from(host)))),
  );
  const extensions = sequence(
    sequence(SUBJECT_ALT_NAME, encode(0x04, sequence(encode(0x82, Buffer.from(host))))),
    sequence(BASIC_CONSTRAINTS, encode(0x04, sequence(encode(0x01, Buffer.from([0xff]))))),
  );
  const content = sequence(
    encode(0xa0, encode(0x02, Buffer.from([2]))),
    encode(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(new Date(Date.now() - DAY)), time(new Date(Date.now() + DAY))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encode(0xa3, extensions),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = sequence(
    content,
    ECDSA_WITH_SHA256,
    encode(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n');

  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
