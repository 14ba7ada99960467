import { createHmac } from 'node:crypto';

/** Whom an erasure is about: everything of one address, or one request. */
export const erasureKinds = ['email', 'submission'] as const;
export type ErasureKind = (typeof erasureKinds)[number];

/** Keys for hashing erased subjects, made from one secret. */
export interface ErasureKey {
  /** Names the key without giving it away; kept with every hash made with it. */
  readonly id: string;
  readonly hash: (kind: ErasureKind, subject: string) => string;
}

const makeHmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

/** The keys of the configured secrets, in their order: the first is used for new hashes. */
export function makeErasureKeys(secrets: readonly string[]): readonly ErasureKey[] {
  return secrets.map((secret) => {
    // A key for this purpose alone: no signature of a link says anything about a hash.
    const key = makeHmac(secret, 'erasures').digest();

    return {
      id: makeHmac(key, 'key id').digest('hex').slice(0, 16),
      hash: (kind, subject) => makeHmac(key, `${kind} ${subject}`).digest('hex'),
    };
  });
}
