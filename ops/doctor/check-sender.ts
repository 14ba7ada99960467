import type { Resolver } from 'node:dns/promises';
import { domainToASCII } from 'node:url';
import { parseMailAddress } from '../../shared/mailbox.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { pass, warn, type Check, type CheckOutcome, type NamedOutcome } from '../../shared/node/monitoring/check.ts';
import { createResolver, isReservedDomain, listRecords } from '../../shared/node/network/dns.ts';

/** Receivers reject an SPF record that needs more lookups (RFC 7208, section 4.6.4). */
const MAX_LOOKUPS = 10;

const listTexts = async (resolver: Resolver, name: string) =>
  (await listRecords(resolver.resolveTxt(name))).map((parts) => parts.join(''));

const listSpf = async (resolver: Resolver, domain: string) =>
  (await listTexts(resolver, domain)).filter((text) => /^v=spf1(?: |$)/i.test(text));

async function checkMx(resolver: Resolver, domain: string): Promise<CheckOutcome> {
  const records = await listRecords(resolver.resolveMx(domain));
  // A null MX (RFC 7505) has no name.
  const servers = records.map(({ exchange }) => exchange).filter((exchange) => exchange !== '');
  if (servers.length > 0) return pass(`${domain} receives mail at ${servers.join(', ')}.`);

  return warn(`${domain} has no MX record, so bounces are lost and some receivers reject its mails: add your mail provider's.`);
}

/** Counts the lookups for a record and those it includes, and stops above the maximum. */
async function countLookups(resolver: Resolver, record: string, before = 0): Promise<number> {
  let count = before;
  for (const term of record.split(/\s+/).slice(1)) {
    const [, name = '', target] = /^[-+~?]?(include|a|mx|ptr|exists|redirect)(?:[:=]([^/]+))?(?:\/|$)/i.exec(term) ?? [];
    if (name === '') continue;
    count += 1;
    if (count > MAX_LOOKUPS) return count;
    // A macro stands for a different name in each mail.
    const isFollowed = /^(?:include|redirect)$/i.test(name) && target !== undefined && !target.includes('%');
    const [included] = isFollowed ? await listSpf(resolver, target) : [];
    if (included !== undefined) count = await countLookups(resolver, included, count);
  }

  return count;
}

async function checkSpf(resolver: Resolver, domain: string): Promise<CheckOutcome> {
  const [record, ...others] = await listSpf(resolver, domain);
  if (record === undefined) {
    return warn(`${domain} has no SPF record: add a TXT record such as "v=spf1 include:PROVIDER -all", as your mail provider specifies.`);
  }
  if (others.length > 0) {
    return warn(`${domain} has ${others.length + 1} SPF records, so receivers ignore all of them: merge them into one.`);
  }
  const lookups = await countLookups(resolver, record);
  if (lookups > MAX_LOOKUPS) {
    return warn(`The SPF record of ${domain} takes more than ${MAX_LOOKUPS} lookups, so receivers reject it: remove services that send no mail.`);
  }

  return pass(`The SPF record of ${domain} is ${record} (${lookups} of ${MAX_LOOKUPS} lookups).`);
}

const listParents = (domain: string) => {
  const labels = domain.split('.');

  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
};

async function checkDmarc(resolver: Resolver, domain: string): Promise<CheckOutcome> {
  for (const parent of listParents(domain)) {
    const records = (await listTexts(resolver, `_dmarc.${parent}`)).filter((text) => /^v=DMARC1\s*;/i.test(text));
    const [record] = records;
    if (records.length > 1) return warn(`_dmarc.${parent} has ${records.length} DMARC records, so receivers ignore all of them: keep one.`);
    if (record !== undefined) return pass(`The DMARC record of ${parent} is ${record}`);
  }

  return warn(`${domain} has no DMARC record: add the TXT record "v=DMARC1; p=none" at _dmarc.${domain}, and a stricter policy once dkim=pass.`);
}

const parts = [
  ['sender mx', checkMx],
  ['sender spf', checkSpf],
  ['sender dmarc', checkDmarc],
] as const;

export const getSenderDomain = (from: string): string => domainToASCII(parseMailAddress(from).split('@').at(-1) ?? '');

/** Checks the sender's domain as receivers do: MX, SPF and DMARC. */
export async function assessSender(domain: string, resolver = createResolver()): Promise<readonly NamedOutcome[]> {
  if (isReservedDomain(domain)) return [{ state: 'info', detail: `Not checked: ${domain} is an example name.` }];

  return Promise.all(
    parts.map(async ([check, run]) => {
      try {
        return { check, ...(await run(resolver, domain)) };
      } catch (error) {
        return { check, state: 'info' as const, detail: `Not checked: DNS does not answer (${getErrorCode(error) ?? 'unknown'}).` };
      }
    }),
  );
}

export const checkSender = (from: string): Check => ({ name: 'sender', run: () => assessSender(getSenderDomain(from)) });
