import { getIndustryLabel } from '../../contact/industry-options.ts';
import { sourceLabels, sourceNames } from '../../contact/submission-source.ts';
import { makeTelUrl } from '../../contact/tel-url.ts';
import { formatTime } from '../../format-time.ts';
import { makeMailtoUrl } from '../../mailbox.ts';
import type { Fact } from '../../page-state.ts';
import { freeMailDomains } from '../contact/earlier-requests.ts';
import { normalizeAddress } from '../mail/email-address.ts';
import type { Submission } from '../contact/contact-submission-store.ts';

/** None of what isn't there. */
const makeFacts = (label: string, value: string | null | undefined, url?: string): readonly Fact[] =>
  value ? [{ label, value, url }] : [];

/** Whose the address is: anybody's, or a company's, whose website has the same name. */
function listDomain(email: string): readonly Fact[] {
  const domain = normalizeAddress(email).split('@').at(-1) ?? '';

  return freeMailDomains.has(domain) ? makeFacts('Mailbox', `private, at ${domain}`) : makeFacts('Website', domain);
}

/** What a visitor gave beside name, company and message, and where the visit came from. */
export const groupGivenFacts = ({ email, phone, industry, source }: Submission) => ({
  email: [...makeFacts('Email', email, makeMailtoUrl(email)), ...listDomain(email)],
  optional: [
    ...makeFacts('Phone', phone, phone === null ? undefined : makeTelUrl(phone)),
    ...makeFacts('Industry', industry && getIndustryLabel(industry)),
  ],
  source: sourceNames.flatMap((name) => makeFacts(sourceLabels[name], source?.[name])),
});

/** The same as one list. */
export const listGivenFacts = (submission: Submission): readonly Fact[] =>
  Object.values(groupGivenFacts(submission)).flat();

/** Since when the mail server refuses the visitor's address: whoever gave a wrong one has to be called. */
export const listRefusal = ({ emailRefusedAt }: Submission, timeZone: string): readonly Fact[] =>
  makeFacts('Address refused our mail', emailRefusedAt && formatTime(emailRefusedAt, timeZone));
