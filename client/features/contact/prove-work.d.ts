import type { DeriveKeyFunction } from 'altcha-lib/types';
import type { WorkProof } from '../../../shared/contact/spam-signals.ts';
/** altcha's `SHA-256`: the hash of salt and try, hashed again until it was hashed `cost` times. */
export declare const deriveKey: DeriveKeyFunction;
/**
 * Fetches a challenge and solves it, which takes a phone about a second; the page stays alive
 * meanwhile. Undefined when the server gives none or the signal ends it.
 */
export declare function proveWork(signal: AbortSignal): Promise<WorkProof | undefined>;
