import type { IndustryOption } from '../contact/industry-options.ts';

/** Every industry the consultancy knows; nothing is said about `other`. */
type KnownIndustry = Exclude<IndustryOption, 'other'>;

type ThreeSentences = readonly [string, string, string];

/** Whether something is known about the industry of an option. */
export function isKnownIndustry(option: IndustryOption): option is KnownIndustry {
  return option !== 'other';
}

/**
 * What takes up time in an industry. Apart from `industries.ts`, which every page loads: these words are for the
 * contact page only.
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

/** For each of an industry's challenges, in the same order. */
interface IndustryAnswers {
  /** What takes it over. */
  readonly solutions: ThreeSentences;
  /** What is different afterward. */
  readonly results: ThreeSentences;
}

/** The specification asks for this data; no page shows it. */
export const industryAnswers: Readonly<Record<KnownIndustry, IndustryAnswers>> = {
  'private-equity': {
    solutions: [
      'Company reports are read as they arrive and brought into a shared format.',
      'Contracts and spending are compared across the portfolio, and overlaps are listed.',
      'A process that works is written down and set up for the next company.',
    ],
    results: [
      'Partners discuss the quarter instead of waiting for the numbers.',
      'Negotiations start with the spending of the whole portfolio on the table.',
      'A new company joins a way of working that already exists.',
    ],
  },
  healthcare: {
    solutions: [
      'Intake forms and authorizations are prepared from the record and checked by your staff.',
      'Claims are checked for gaps before they go to the payer.',
      'Appointments, records, and billing exchange data under the access rules you set.',
    ],
    results: [
      'Staff time moves from forms to patients.',
      'A missing document is found before the claim leaves, not after it comes back.',
      'The front desk answers a question without calling around.',
    ],
  },
  manufacturing: {
    solutions: [
      'Orders, stock, and capacity feed a plan that is updated as they change.',
      'Machine data shows wear early, and maintenance is scheduled around it.',
      'Inspection results and supplier papers are read in and filed with their batch.',
    ],
    results: [
      'The morning meeting starts from the current plan.',
      'Repairs are planned between runs instead of in the middle of them.',
      'A customer’s question about a batch is answered from its record.',
    ],
  },
  'financial-services': {
    solutions: [
      'Documents are checked on arrival, and only the open points go to a person.',
      'Report data is drawn from the source systems and reconciled, with a log of each step.',
      'Routine cases are prepared for approval, and unusual ones are flagged with the reason.',
    ],
    results: [
      'A client’s file shows at any moment what is still missing.',
      'A number in a report can be traced to where it came from.',
      'Reviewers start the day with the cases that need judgment.',
    ],
  },
  'professional-services': {
    solutions: [
      'Proposals and reports are drafted from earlier work, and a partner has the last word.',
      'Time entries are suggested from calendars and documents, and each person confirms them.',
      'Past projects become searchable within the limits your clients set.',
    ],
    results: [
      'Partners edit a draft instead of starting from a blank page.',
      'Invoices go out while the client still remembers the work.',
      'A new colleague finds out how a similar case was handled.',
    ],
  },
  education: {
    solutions: [
      'Applications and forms are checked for completeness and sent to the right office.',
      'Routine questions are answered from your own policies, and the rest go to a person.',
      'Department data flows into shared reports that name their sources.',
    ],
    results: [
      'The busy weeks go to decisions about students instead of sorting paper.',
      'Students get routine answers outside office hours too.',
      'The accreditation file grows during the year instead of just before the visit.',
    ],
  },
  'retail-ecommerce': {
    solutions: [
      'Stock movements from every channel go into one record that all of them read.',
      'Routine requests are answered from the order data, and complaints go to a person.',
      'Product data and prices are prepared in one place, approved, and sent to every channel.',
    ],
    results: [
      'Buyers reorder from the same stock record the shop sells from.',
      'The service team works on the cases that need a conversation.',
      'A price change takes effect everywhere on the same day.',
    ],
  },
  'transportation-logistics': {
    solutions: [
      'Orders, driver hours, and traffic feed a suggested plan that the dispatcher adjusts.',
      'Freight papers are read from a photo or scan and matched to the load.',
      'Customers get a notice from the tracking data when a delay shows.',
    ],
    results: [
      'Dispatchers handle the exceptions instead of rebuilding the plan.',
      'Invoices follow the delivery instead of waiting for the papers.',
      'News of a delay reaches the customer before the customer calls.',
    ],
  },
  'real-estate': {
    solutions: [
      'Dates and terms are read from each lease into a calendar that warns ahead of time.',
      'Requests from every channel become tickets with an owner and a due date.',
      'Invoices are compared with the contract and the work order before approval.',
    ],
    results: [
      'Renewals and rent changes are on the calendar before they are due.',
      'A tenant can be told who has the request and when to expect an answer.',
      'Whoever approves an invoice sees the agreed price next to it.',
    ],
  },
};
