import type { IndustryOption } from '../contact/industry-options.ts';

/** Every industry the consultancy knows; nothing is said about `other`. */
export type KnownIndustry = Exclude<IndustryOption, 'other'>;

export type ThreeSentences = readonly [string, string, string];

/**
 * What takes up time in an industry. Apart from `industries.ts`, which every page loads: these
 * words are for the contact page only.
 */
export const industryChallenges: Readonly<Record<KnownIndustry, ThreeSentences>> = {
  'private-equity': [
    'Each portfolio company reports in its own format, and the fund view is built by hand.',
    'Vendor contracts are negotiated company by company, without the weight of the group.',
    'A fix that works in one company rarely reaches the others.',
  ],
  healthcare: [
    'Clinical staff lose part of the day to forms, scheduling, and insurance questions.',
    'Claims come back because a code or a document is missing.',
    'Patient data sits in systems that do not talk to each other.',
  ],
  manufacturing: [
    'Production plans change faster than the spreadsheet that holds them.',
    'Machines are repaired after they stop, while the line waits.',
    'Inspection records and supplier papers are typed in by hand, and errors surface late.',
  ],
  'financial-services': [
    'Client onboarding waits for documents, checks, and signatures from several desks.',
    'Regulatory reports are put together by hand from systems that disagree.',
    'Reviewers spend the day on routine cases and have little left for the unusual ones.',
  ],
  'professional-services': [
    'Senior people write proposals, status reports, and invoices after client hours.',
    'Hours are recorded late, and some of the work is never billed.',
    'What the firm has learned stays in old files and in people’s heads.',
  ],
  education: [
    'Enrollment, aid, and schedule requests all arrive in the same few weeks.',
    'Staff answer the same questions from students and parents every term.',
    'Reports for boards and accreditors are collected department by department.',
  ],
  'retail-ecommerce': [
    'Stock counts in the store, the warehouse, and the online shop do not agree.',
    'Returns, order changes, and delivery questions fill the service inbox.',
    'Product data and prices are maintained separately for every channel.',
  ],
  'transportation-logistics': [
    'Dispatchers plan by phone and spreadsheet while conditions on the road change.',
    'Bills of lading, delivery receipts, and customs papers are typed in after the fact.',
    'Customers call to ask where a shipment is, and someone has to find out.',
  ],
  'real-estate': [
    'Lease dates, options, and charges are buried in long documents.',
    'Tenant requests arrive by phone, email, and portal, and some get lost.',
    'Vendor invoices are hard to check against the contract and the work done.',
  ],
};

/** Whether something is known about the industry of an option. */
export function isKnownIndustry(option: IndustryOption): option is KnownIndustry {
  return option !== 'other';
}
