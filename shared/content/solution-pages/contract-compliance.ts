import { DEFAULT_CTA_LABEL, type SolutionPage } from './solution-page.ts';

export const contractCompliance: SolutionPage = {
  metaTitle: 'Contract Compliance Automation for Finance and Legal',
  metaDescription:
    'Software that extracts the terms of your contracts, warns you ahead of notice dates, and compares invoices with agreed prices. People review what differs.',
  updatedOn: '2026-11-23',
  headline: 'Know what you signed and hold everyone to it',
  description:
    'You get your signed agreements as one list of prices, dates, and duties, and hear where it differs from what is billed, delivered, and due.',
  ctaLabel: DEFAULT_CTA_LABEL,
  figures: [{ value: '70–90%', label: 'less contract review time for a typical client' }],
  pairs: {
    heading: 'What goes wrong after the signature',
    lead: 'A contract loses money in the years it sits unread; these are the places we look first.',
    pairs: [
      {
        problem: {
          title: 'Which version is the signed one?',
          icon: 'layers',
          text: 'The master agreement is on a drive, the amendment in a former colleague’s mailbox. People quote the draft.',
        },
        solution: {
          title: 'A register with the full history',
          icon: 'database',
          text: 'Drives and mailboxes are searched for signed documents. Each agreement is filed with its amendments, the terms in force on top.',
        },
      },
      {
        problem: {
          title: 'It renewed before anyone looked',
          icon: 'clock',
          text: 'A notice window closes while the manager is on vacation, and you pay another term for something you had meant to cancel.',
        },
        solution: {
          title: 'Notice dates sent to an owner',
          icon: 'bell',
          text: 'The system works out the last day to give notice, emails the person responsible well ahead, and asks again until a decision is recorded.',
        },
      },
      {
        problem: {
          title: 'Legal needs another week for this',
          icon: 'book-open',
          text: 'A customer’s draft waits in counsel’s queue. The deal slips over clauses that turn out to be standard.',
        },
        solution: {
          title: 'A first pass against your playbook',
          icon: 'file-check',
          text: 'Incoming drafts are compared with the positions you accept. Counsel opens a copy with the deviating clauses marked.',
        },
      },
      {
        problem: {
          title: 'We were billed more than we agreed',
          icon: 'receipt-text',
          text: 'Accounts payable matched the invoice to the purchase order. The price in the order was already wrong.',
        },
        solution: {
          title: 'Invoices tested against contract prices',
          icon: 'scale',
          text: 'Rates, volume tiers, and index clauses are applied to each invoice ahead of payment. What differs waits until somebody has decided.',
        },
      },
      {
        problem: {
          title: 'Our rebate was never claimed',
          icon: 'coins',
          text: 'Volume discounts and service credits are paid only to those who ask in time. Keeping that count is in no job description.',
        },
        solution: {
          title: 'A running tally of credits due',
          icon: 'target',
          text: 'Purchases and missed service levels are counted toward each threshold. When a credit is earned, a claim letter is drafted for you to send.',
        },
      },
      {
        problem: {
          title: 'The auditor wants proof by Thursday',
          icon: 'search',
          text: 'Certificates, safety reports, and data terms sit with different departments. Someone drops the day’s work to collect them.',
        },
        solution: {
          title: 'Duties tracked with their evidence',
          icon: 'list-checks',
          text: 'Each obligation has a person, a due date, and a place for the document that proves it. The auditor receives an export.',
        },
      },
    ],
  },
  benefits: {
    heading: 'What finance and legal notice first',
    points: [
      {
        title: 'Renewals become decisions',
        icon: 'git-branch',
        text: 'Each one comes up with its price history and open claims while you can still renegotiate or leave.',
      },
      {
        title: 'Overbilling stops before payment',
        icon: 'shield-check',
        text: 'Accounts payable holds the wrong invoice and can show the vendor the page of the contract it breaks.',
      },
      {
        title: 'Counsel reads the hard parts',
        icon: 'user-check',
        text: 'Standard orders need only a glance, which leaves the afternoon for liability, indemnity, and unusual terms.',
      },
      {
        title: 'Answers to plain questions',
        icon: 'message-square',
        text: 'Ask which customers may terminate on a change of control, and the reply lists them with page references.',
      },
      {
        title: 'A data room in order',
        icon: 'briefcase-business',
        text: 'When a buyer or lender asks for your agreements, the complete set is already filed and summarized.',
      },
      {
        title: 'Cash forecasts with real terms',
        icon: 'chart-no-axes-combined',
        text: 'Committed spend, price escalators, and payment periods come from the documents themselves, so treasury plans with what was signed.',
      },
    ],
  },
  enterpriseBenefits: {
    heading: 'When many people sign and approve',
    points: [
      {
        title: 'Access by entity and matter',
        icon: 'key-round',
        text: 'A plant manager opens the plant’s contracts. Employment and acquisition files stay with the few who need them.',
      },
      {
        title: 'Signing authority built in',
        icon: 'workflow',
        text: 'Drafts are routed by value and risk to someone allowed to sign them, and the approval is stored with the contract.',
      },
      {
        title: 'A history for each term',
        icon: 'history',
        text: 'An extracted price or date shows where it was read, who confirmed it, and what it said earlier.',
      },
      {
        title: 'A portfolio view for owners',
        icon: 'building-2',
        text: 'A private-equity sponsor can lay the terms of several portfolio companies side by side and see who got the better deal.',
      },
    ],
  },
  platform: {
    heading: 'How the product is put together',
    lead: 'Software does the reading, comparing, and reminding; accepting a clause or a price remains your call.',
    points: [
      {
        title: 'Contract repository',
        icon: 'database',
        text: 'Documents, scans included, are made searchable and filed by counterparty, type, and legal entity.',
      },
      {
        title: 'Term extraction',
        icon: 'file-text',
        text: 'Prices, liability caps, notice periods, and governing law are pulled out and linked to their sentence.',
      },
      {
        title: 'Obligation calendar',
        icon: 'calendar-check',
        text: 'Duties of both parties, from insurance renewals to price reviews, appear in one calendar and in each owner’s email.',
      },
      {
        title: 'Invoice comparison',
        icon: 'receipt-text',
        text: 'Billing data comes in from your accounting system. Deviations collect in a queue sorted by amount, each beside its clause.',
      },
    ],
  },
  // Sample copy: replace with a customer's own words before going live.
  testimonial: {
    quote:
      'We learned which contracts renew themselves while we could still say no. My lawyers now spend their time on the clauses that deserve an argument.',
    role: 'General Counsel',
    companySize: 'private-equity-backed distributor with several hundred employees',
  },
  howItWorks: {
    heading: 'From scattered files to a working register',
    steps: [
      {
        title: 'Collect the contracts',
        text: 'We start with your largest suppliers and customers and gather every signed page, amendment, and price sheet. We tell you which ones could not be found.',
      },
      {
        title: 'Agree on the terms that matter',
        text: 'Finance, legal, and purchasing choose the clauses that count. We try the reading on contracts your counsel knows by heart.',
      },
      {
        title: 'Check the past invoices',
        text: 'Recent bills from a few suppliers are compared with their agreements. You choose which differences to claim.',
      },
      {
        title: 'Switch on the alerts',
        text: 'Owners receive their dates and duties, drafts go through the first pass, and invoices are tested as they arrive.',
      },
    ],
  },
  closing: {
    title: 'Choose a handful of contracts',
    text: 'We read them in confidence and show you the dates, prices, and duties they contain.',
  },
};
