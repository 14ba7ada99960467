import { Resolver } from 'node:dns/promises';
import { getErrorCode } from '../logging/describe-error.ts';
import { Second } from '../../time.ts';

/** Names reserved for examples and private networks. Source: RFC 2606, RFC 6761, RFC 6762. */
const RESERVED = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid|local|localhost|test)$/;

export const isReservedDomain = (domain: string): boolean => RESERVED.test(domain);

/** Creates a resolver that uses the system's name servers and times out after a few seconds. */
export const createResolver = (): Resolver => new Resolver({ timeout: 2 * Second, tries: 2 });

/** Returns a lookup's records, or an empty list if there are none. @throws if DNS doesn't answer */
export async function listRecords<Record>(lookUp: Promise<readonly Record[]>): Promise<readonly Record[]> {
  try {
    return await lookUp;
  } catch (error) {
    if (['ENODATA', 'ENOTFOUND'].includes(getErrorCode(error) ?? '')) return [];
    throw error;
  }
}
