import { DEFAULT_CTA_LABEL, type SolutionPage } from './solution-page.ts';

export const expenseReductionAi: SolutionPage = {
  metaTitle: 'Expense Reduction AI Platform for Consultants',
  metaDescription:
    'For expense-reduction consulting firms: software that reads client bills, checks each rate against the contract, and drafts findings you can defend.',
  updatedOn: '2026-11-21',
  headline: 'From a box of invoices to agreed savings',
  description:
    'Your consultants upload what the client sends; the platform reads each bill, checks each rate, and drafts findings with the evidence attached.',
  ctaLabel: DEFAULT_CTA_LABEL,
  figures: [{ value: '20–40%', label: 'typical cost reduction in the categories under review' }],
  pairs: {
    heading: 'Where an engagement loses its hours',
    lead: 'Six jobs consultants do by hand for every client, and the part of the platform that does them.',
    pairs: [
      {
        problem: {
          title: 'The client sent us a box of PDFs',
          icon: 'file-text',
          text: 'Bills arrive as scans, portal downloads, and forwarded emails. An analyst starts the project by renaming files and asking for missing months.',
        },
        solution: {
          title: 'Document intake that sorts and asks',
          icon: 'layers',
          text: 'Everything goes through one upload link. The platform recognizes vendor, account, and period, and drafts a single request for the statements still missing.',
        },
      },
      {
        problem: {
          title: 'We only ever check a sample',
          icon: 'search',
          text: 'Reading every line takes more hours than the fee would cover. An overcharge on an unopened page stays on the client’s bill.',
        },
        solution: {
          title: 'Line-by-line reading of all bills',
          icon: 'receipt-text',
          text: 'Each charge is captured with its quantity, rate, surcharge, and tax. Your analyst starts from a table of exceptions, with the page behind each one.',
        },
      },
      {
        problem: {
          title: 'Is that a good rate or not?',
          icon: 'scale',
          text: 'The answer sits in a colleague’s memory or in a workbook from an old project. Until someone finds it, the vendor’s quote looks fine.',
        },
        solution: {
          title: 'A rate library your firm owns',
          icon: 'database',
          text: 'Rates from past engagements are stored by category, region, and volume, with client names removed and only where your agreements permit it. New quotes are compared with them.',
        },
      },
      {
        problem: {
          title: 'Only one of us understands freight',
          icon: 'users',
          text: 'When that specialist is on leave, the freight findings wait. Junior staff have no written test to follow.',
        },
        solution: {
          title: 'Specialist checks anyone can run',
          icon: 'list-checks',
          text: 'Your experts describe how they test each expense category, and the platform repeats those tests. A junior consultant brings them the odd results.',
        },
      },
      {
        problem: {
          title: 'The client disputes our savings figure',
          icon: 'message-square',
          text: 'Your fee depends on that number. When the client’s controller questions it, a consultant rebuilds the calculation from old workbooks.',
        },
        solution: {
          title: 'Findings that show their source',
          icon: 'file-check',
          text: 'Click on a saving to see the bill, the contract rate, and the arithmetic. The controller can follow it without calling you.',
        },
      },
      {
        problem: {
          title: 'Last year’s overcharge is back',
          icon: 'history',
          text: 'After the project closes, a vendor lets the old rate return or adds a surcharge. Your share of the savings shrinks with it.',
        },
        solution: {
          title: 'A monthly watch on negotiated rates',
          icon: 'bell',
          text: 'New bills are held to the rate you obtained for as long as your agreement runs. You can raise a deviation in the month it appears.',
        },
      },
    ],
  },
  benefits: {
    heading: 'What it does for your practice',
    points: [
      {
        title: 'More engagements per consultant',
        icon: 'briefcase-business',
        text: 'Analysts stop keying in bills, so the same team can serve a longer client list without longer weeks.',
      },
      {
        title: 'Smaller clients become worth taking',
        icon: 'coins',
        text: 'When preparation costs little, you can accept the regional company whose savings would never have covered your analysis.',
      },
      {
        title: 'Fees settled sooner',
        icon: 'handshake',
        text: 'Clients accept findings they can trace. Your share can be invoiced as soon as the first lower bill arrives.',
      },
      {
        title: 'Income after the project',
        icon: 'calendar-check',
        text: 'Rate monitoring is a service you can sell by the month, long after the final presentation.',
      },
    ],
  },
  platform: {
    heading: 'What your consultants work with',
    lead: 'The parts follow an engagement, from the first upload to the last fee.',
    points: [
      {
        title: 'Client workspace',
        icon: 'building-2',
        text: 'Each engagement keeps its documents, accounts, deadlines, and access rights to itself. Your teams see only the clients they serve.',
      },
      {
        title: 'Bill reader',
        icon: 'receipt-text',
        text: 'It reads telecom, utility, waste, freight, and card-processing statements, and asks an analyst about any value it cannot make out.',
      },
      {
        title: 'Contract and tariff shelf',
        icon: 'book-open',
        text: 'Agreements, price lists, and published tariffs carry their effective dates, so an old bill is tested against the rate of its own month.',
      },
      {
        title: 'Savings ledger',
        icon: 'banknote',
        text: 'Each opportunity moves from found to proposed, accepted, and realized. Partners see the fees expected from every engagement.',
      },
      {
        title: 'Report builder',
        icon: 'chart-column',
        text: 'Findings go into your own presentation template with charts and source references. The recommendation is yours to write.',
      },
    ],
  },
  // Sample copy: replace with a customer's own words before going live.
  testimonial: {
    quote:
      'My analysts used to begin every project by typing in phone bills. Now they open the exceptions first and call the client with a question worth asking.',
    role: 'Managing Partner',
    companySize: 'small expense-reduction consulting firm',
  },
  howItWorks: {
    heading: 'From a closed case to daily use',
    steps: [
      {
        title: 'Rework a closed case',
        text: 'You give us the bills and the report of an engagement you have finished. We run them through the platform and compare its findings with yours.',
      },
      {
        title: 'Write down your tests',
        text: 'Your specialists explain how they go through a freight or telecom bill. We turn each test into a rule, and they approve the ones they will rely on.',
      },
      {
        title: 'Use it on a live client',
        text: 'A project team works with the platform while an analyst spot-checks its readings. Your report template and your fee model are set up on the way.',
      },
      {
        title: 'Bring in the other teams',
        text: 'Further teams follow, one expense category after another. Past rates go into the library, and monitoring starts for the clients who order it.',
      },
    ],
  },
  closing: {
    title: 'Bring us a case you know well',
    text: 'We go through a typical engagement with you and mark the hours the platform would take off your analysts.',
  },
};
