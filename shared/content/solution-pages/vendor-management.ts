import { DEFAULT_CTA_LABEL, type SolutionPage } from './solution-page.ts';

export const vendorManagement: SolutionPage = {
  metaTitle: 'Vendor Management System: Spend, Terms, and Risk',
  metaDescription:
    'Keep supplier records, spend, performance, and risk current in one system. Buyers see the total before they negotiate and end services no one uses.',
  updatedOn: '2026-11-26',
  headline: 'One record for every company you pay',
  description:
    'Purchasing and finance share a file on each supplier: what you buy, what it costs, how well they deliver, and which papers are about to expire.',
  ctaLabel: DEFAULT_CTA_LABEL,
  figures: [{ value: '15–30%', label: 'lower vendor costs, as clients typically see' }],
  pairs: {
    heading: 'What purchasing hears every week',
    lead: 'Most of these complaints begin with a vendor record that is old, duplicated, or missing.',
    pairs: [
      {
        problem: {
          title: 'The same supplier has several numbers',
          icon: 'users',
          text: 'Every site created its own entry with its own spelling. Payment terms differ between them, and no report adds up.',
        },
        solution: {
          title: 'Duplicates merged and kept out',
          icon: 'layers',
          text: 'Likely matches are found by name, tax ID, and bank account. A buyer confirms the merge, and new entries are compared with existing ones.',
        },
      },
      {
        problem: {
          title: 'Nobody knows what we spend with them',
          icon: 'banknote',
          text: 'Purchases run through cost centers, company cards, and subsidiaries. The vendor’s sales manager knows your total better than your buyer does.',
        },
        solution: {
          title: 'Spend added up by parent company',
          icon: 'chart-column',
          text: 'Invoices, orders, and card charges are assigned to a supplier group and a category. Buyers see the sum by site and by month.',
        },
      },
      {
        problem: {
          title: 'They are late again',
          icon: 'truck',
          text: 'Missed dates and rejected goods annoy the people at the dock and are forgotten by the annual review. The price negotiation starts without them.',
        },
        solution: {
          title: 'A scorecard built from receipts',
          icon: 'gauge',
          text: 'Goods receipts, complaints, and response times count toward a score. Your buyer and the vendor look at the same deliveries.',
        },
      },
      {
        problem: {
          title: 'Their insurance ran out last spring',
          icon: 'shield-check',
          text: 'Certificates are collected at the start and put away. You find out that one lapsed when there is damage on site.',
        },
        solution: {
          title: 'Certificates the vendor renews',
          icon: 'file-check',
          text: 'The supplier is asked for a new document ahead of expiry and uploads it through a link. Orders can be held until it arrives.',
        },
      },
      {
        problem: {
          title: 'They emailed us new bank details',
          icon: 'landmark',
          text: 'An accounts payable clerk has to judge whether the message is genuine, often on the day of the payment run.',
        },
        solution: {
          title: 'Bank changes verified by phone',
          icon: 'user-check',
          text: 'A change waits for a call to a known contact and a second approval. Until both are recorded, payments to that vendor are held.',
        },
      },
      {
        problem: {
          title: 'Are we still paying for that?',
          icon: 'receipt-text',
          text: 'The project ended, the team moved on, and the monthly fee stayed. Each such charge is too small for anyone to question.',
        },
        solution: {
          title: 'Idle services listed with exit dates',
          icon: 'search',
          text: 'Recurring charges without orders, users, or deliveries go to the budget owner for a decision, with the earliest date to cancel.',
        },
      },
    ],
  },
  benefits: {
    heading: 'What your buyers do differently',
    points: [
      {
        title: 'Negotiations start from totals',
        icon: 'handshake',
        text: 'A one-page brief for each negotiation shows volume, price history, service record, and the alternatives you have approved.',
      },
      {
        title: 'Fewer vendors per category',
        icon: 'target',
        text: 'Overlapping suppliers stand out in the spend list, and volume can move to the one that performs.',
      },
      {
        title: 'Onboarding without email chains',
        icon: 'workflow',
        text: 'New suppliers enter their own details. Tax, sanctions, and bank checks run before the first order goes out.',
      },
      {
        title: 'Supply trouble seen coming',
        icon: 'bell',
        text: 'Slipping delivery dates or bad credit news raise a flag in time to arrange a second source.',
      },
      {
        title: 'Payment terms that match',
        icon: 'calendar-check',
        text: 'Finance sees where a supplier gives your sites different terms and asks for the best of them everywhere.',
      },
      {
        title: 'A name beside every vendor',
        icon: 'briefcase-business',
        text: 'When a question or an order comes up, the record says which colleague holds the relationship and the budget.',
      },
    ],
  },
  enterpriseBenefits: {
    heading: 'For groups with several companies',
    points: [
      {
        title: 'Group rates, local orders',
        icon: 'building-2',
        text: 'A subsidiary can look up the rate that headquarters negotiated and order on it the same afternoon.',
      },
      {
        title: 'Acquisitions compared on arrival',
        icon: 'git-branch',
        text: 'Import an acquired company’s supplier list to see the vendors you share and who pays which price.',
      },
      {
        title: 'Approval limits by role',
        icon: 'key-round',
        text: 'You decide for each company who may add a vendor, edit bank data, or release a hold. Each change is logged.',
      },
      {
        title: 'Clean data for your ERP',
        icon: 'plug',
        text: 'Verified supplier data is passed to purchasing and accounting on a schedule you choose, so the old systems improve too.',
      },
    ],
  },
  platform: {
    heading: 'Five modules around one vendor file',
    lead: 'Begin with the module you miss most; the others draw on the records it creates.',
    points: [
      {
        title: 'Vendor master',
        icon: 'database',
        text: 'Addresses, contacts, tax and bank data, each entry with its source and the day it was last confirmed.',
      },
      {
        title: 'Supplier portal',
        icon: 'users',
        text: 'Vendors update their details, upload documents, and answer open requests. A link takes them in, without training.',
      },
      {
        title: 'Spend analysis',
        icon: 'chart-no-axes-combined',
        text: 'AI sorts purchases into the categories you use. Buyers correct a wrong guess, and the correction applies to similar lines.',
      },
      {
        title: 'Performance scorecards',
        icon: 'gauge',
        text: 'You set the weights for punctuality, quality, price, and service, and can score a caterer differently from a steel mill.',
      },
      {
        title: 'Risk monitor',
        icon: 'shield-check',
        text: 'Sanctions lists, certificate dates, and single-source items are checked in the background. Changes reach the responsible buyer.',
      },
    ],
  },
  // Sample copy: replace with a customer's own words before going live.
  testimonial: {
    quote:
      'I used to ask every plant for its supplier list before a negotiation. Today I open the record, and the vendor stops telling me how small a customer we are.',
    role: 'VP of Procurement',
    companySize: 'mid-market food producer with several plants',
  },
  howItWorks: {
    heading: 'How your vendor file gets in order',
    steps: [
      {
        title: 'Load the payment history',
        text: 'You export from accounting what you paid and to whom. We merge duplicates, group subsidiaries under their parents, and show you a total per supplier.',
      },
      {
        title: 'Pick the first categories',
        text: 'With your buyers we choose a few categories that have many suppliers or a price review coming up. Those get complete records and negotiation briefs first.',
      },
      {
        title: 'Invite the vendors',
        text: 'Suppliers receive their link and confirm bank details, contacts, and certificates. The system sends the reminders; your team calls those who stay silent.',
      },
      {
        title: 'Negotiate and keep watch',
        text: 'Buyers take the briefs into their negotiations and record the outcome. Scorecards and risk flags then tell them which vendor needs attention next.',
      },
    ],
  },
  closing: {
    title: 'Start with your list of payments',
    text: 'Share a supplier export and see the duplicates, the overlaps, and the vendors we would talk to first.',
  },
};
