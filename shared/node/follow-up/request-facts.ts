import { getIndustryLabel } from '../../contact/industry-options.ts';
import { sourceLabels, sourceNames } from '../../contact/submission-source.ts';
import { makeTelUrl } from '../../contact/tel-url.ts';
import { formatTime } from '../../format-time.ts';
import { makeMailtoUrl } from '../../mailbox.ts';
import type { Fact } from '../../page-state.ts';
import { freeMailDomains } from '../contact/earlier-requests.ts';
import { normalizeAddress } from '../mail/email-address.ts';
import type { Submission } from '../contact/contact-submission-store.ts';

/** Returns a fact, or an empty list if the value is empty. */
const makeFacts = (label: string, value: string | null | undefined, url?: string): readonly Fact[] =>
  value ? [{ label, value, url }] : [];

/** Returns an address's domain, labeled as a private mailbox or as a company's website. */
function listDomain(email: string): readonly Fact[] {
  const domain = normalizeAddress(email).split('@').at(-1) ?? '';

  return freeMailDomains.has(domain) ? makeFacts('Mailbox', `private, at ${domain}`) : makeFacts('Website', domain);
}

/** Groups the source of the visit and everything the visitor typed except name, company and message. */
export const groupRequestFacts = ({ email, phone, industry, source }: Submission) => ({
  email: [...makeFacts('Email', email, makeMailtoUrl(email)), ...listDomain(email)],
  optional: [
    ...makeFacts('Phone', phone, phone === null ? undefined : makeTelUrl(phone)),
    ...makeFacts('Industry', industry && getIndustryLabel(industry)),
  ],
  source: sourceNames.flatMap((name) => makeFacts(sourceLabels[name], source?.[name])),
});

/** Returns the facts from `groupRequestFacts` as one list. */
export const listRequestFacts = (submission: Submission): readonly Fact[] =>
  Object.values(groupRequestFacts(submission)).flat();

/** Returns when the mail server refused the visitor's address. Such a visitor has to be called. */
export const listEmailRefusal = ({ emailRefusedAt }: Submission, timeZone: string): readonly Fact[] =>
  makeFacts('Address refused our mail', emailRefusedAt && formatTime(emailRefusedAt, timeZone));
