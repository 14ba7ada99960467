import type { IndustryOption } from '../contact/industry-options.ts';
import {
  industryChallenges,
  isKnownIndustry,
  type KnownIndustry,
  type ThreeSentences,
} from './industry-challenges.ts';

/** What the consultancy knows about the work in an industry. */
export interface IndustryDetails {
  /** What takes up time there. */
  readonly challenges: ThreeSentences;
  /** What takes each of the challenges over, in the same order. */
  readonly solutions: ThreeSentences;
  /** What is different afterward, in the same order. */
  readonly results: ThreeSentences;
}

const answers: Readonly<Record<KnownIndustry, Omit<IndustryDetails, 'challenges'>>> = {
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

/** What is known about the industry of an option; nothing about `other`. */
export function findIndustryDetails(option: IndustryOption): IndustryDetails | undefined {
  return isKnownIndustry(option)
    ? { challenges: industryChallenges[option], ...answers[option] }
    : undefined;
}
