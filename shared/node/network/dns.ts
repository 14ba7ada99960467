import { Resolver } from 'node:dns/promises';
import { getErrorCode } from '../logging/describe-error.ts';
import { Second } from '../../time.ts';

/** Names that DNS leads nowhere, for examples and private networks. Source: RFC 2606, RFC 6761, RFC 6762. */
const RESERVED = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid|local|localhost|test)$/;

export const isReservedDomain = (domain: string): boolean => RESERVED.test(domain);

/** Asks the system's name servers, for seconds at most. */
export const createResolver = (): Resolver => new Resolver({ timeout: 2 * Second, tries: 2 });

/** The records of a name; none where it, or its records of that type, don't exist. @throws when DNS doesn't answer */
export async function listRecords<Record>(lookUp: Promise<readonly Record[]>): Promise<readonly Record[]> {
  try {
    return await lookUp;
  } catch (error) {
    if (['ENODATA', 'ENOTFOUND'].includes(getErrorCode(error) ?? '')) return [];
    throw error;
  }
}
