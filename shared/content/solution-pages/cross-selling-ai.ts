import type { SolutionPage } from './solution-page.ts';

export const crossSellingAi: SolutionPage = {
  metaTitle: 'Cross-Selling AI Engine for B2B Sales Teams',
  metaDescription:
    'An AI engine that reads orders, service calls, and renewals, then tells each salesperson which customer to call, what to offer, and how to begin.',
  updatedOn: '2026-11-26',
  headline: 'Give sales a good reason to call',
  description:
    'Each week your salespeople get a short list of customers to call, with an offer and the reason for it, drawn from what similar companies buy.',
  ctaLabel: 'Get Your Revenue Assessment',
  figures: [{ value: '25–40%', label: 'revenue increase clients typically see' }],
  pairs: {
    heading: 'Why the second sale does not happen',
    lead: 'The customer would buy more, and something on your side keeps the offer from being made.',
    pairs: [
      {
        problem: {
          title: 'I have too many accounts to know',
          icon: 'users',
          text: 'A salesperson with a long account list calls the favorites. The quiet ones in the middle hear from you when the invoice comes.',
        },
        solution: {
          title: 'An account brief that writes itself',
          icon: 'file-text',
          text: 'Orders, service tickets, and visit notes become half a page to read just before a visit.',
        },
      },
      {
        problem: {
          title: 'They bought that from a competitor?',
          icon: 'shopping-bag',
          text: 'The customer needed something in your range and did not know you carry it. You hear about it once the order is placed.',
        },
        solution: {
          title: 'Gaps shown against similar customers',
          icon: 'search',
          text: 'The engine finds companies of the same size and trade and shows which of their usual purchases this account is missing.',
        },
      },
      {
        problem: {
          title: 'Our reps sell only what they know',
          icon: 'book-open',
          text: 'New lines, and those of the company you acquired, stay in the catalog because few people feel safe explaining them.',
        },
        solution: {
          title: 'Talking points for unfamiliar products',
          icon: 'lightbulb',
          text: 'A suggestion comes with the customer’s likely need, a link to their last order, and answers to the usual objections.',
        },
      },
      {
        problem: {
          title: 'We called at the wrong time',
          icon: 'clock',
          text: 'The pitch arrives in the middle of a complaint, or a month after the budget was spent.',
        },
        solution: {
          title: 'Signals that set the moment',
          icon: 'calendar-check',
          text: 'A new location, a solved ticket, or an expiring service plan moves a customer up the list. An open complaint takes the name off.',
        },
      },
      {
        problem: {
          title: 'Marketing sends everyone the same offer',
          icon: 'message-square',
          text: 'The discount goes to people who just paid full price. The few who might have wanted it have stopped opening your emails.',
        },
        solution: {
          title: 'Campaigns matched to each buyer',
          icon: 'target',
          text: 'Mailings use the same recommendations as the call list. A contact sees one product that fits, and recent buyers are left out.',
        },
      },
      {
        problem: {
          title: 'We never find out what worked',
          icon: 'chart-column',
          text: 'Extra sales disappear in the general total, and the sales meeting trades anecdotes. Next quarter’s targets are guesses.',
        },
        solution: {
          title: 'Sales traced to the suggestion',
          icon: 'trending-up',
          text: 'Suggestions are marked as called, quoted, won, or refused. Accounts left off the list show what would have sold anyway.',
        },
      },
    ],
  },
  benefits: {
    heading: 'What the sales team notices',
    points: [
      {
        title: 'Monday starts with names',
        icon: 'list-checks',
        text: 'Each salesperson opens a handful of accounts, every one with a product and a reason, ranked by likely value.',
      },
      {
        title: 'Service calls lead to sales',
        icon: 'handshake',
        text: 'The support desk sees a fitting offer beside the ticket and can mention it once the problem is solved.',
      },
      {
        title: 'Early word of a loss',
        icon: 'bell',
        text: 'An account whose orders shrink is shown to its owner while the customer still takes the call.',
      },
      {
        title: 'New hires sell the full range',
        icon: 'graduation-cap',
        text: 'A salesperson in the first month reads the account knowledge that colleagues gathered over years.',
      },
    ],
  },
  platform: {
    heading: 'Six things the engine does',
    lead: 'It runs on the customer and order data you have today, even where that data is untidy.',
    points: [
      {
        title: 'Builds the customer profile',
        icon: 'user-check',
        text: 'Entries from CRM, ERP, service desk, and web shop are matched to one company with its locations and contacts.',
      },
      {
        title: 'Learns what sells together',
        icon: 'orbit',
        text: 'Your own sales history shows which products are bought together or one after the other, by trade and company size.',
      },
      {
        title: 'Ranks the next offers',
        icon: 'gauge',
        text: 'Fit, timing, margin, and stock decide the order, and you set how much each of them counts.',
      },
      {
        title: 'Explains every suggestion',
        icon: 'message-square',
        text: 'A plain sentence says why the offer was made, so a salesperson can use it, question it, or drop it.',
      },
      {
        title: 'Delivers where sales works',
        icon: 'plug',
        text: 'The list appears in your CRM or by email, and feedback takes a click. There is no extra program to open.',
      },
      {
        title: 'Respects consent and limits',
        icon: 'shield-check',
        text: 'People who opted out, accounts you blocked, and customers contacted too recently are kept off the list.',
      },
    ],
  },
  // Sample copy: replace with a customer's own words before going live.
  testimonial: {
    quote:
      'The list sent us to an account we had filed under small. The buyer asked why we had never mentioned the product before.',
    role: 'VP of Sales',
    companySize: 'mid-market industrial supplies wholesaler',
  },
  howItWorks: {
    heading: 'How your first list comes about',
    steps: [
      {
        title: 'Look at the sales history',
        text: 'We take past orders, customer records, and your product range, and check which parts are complete enough to learn from. You see the first patterns, including the odd ones.',
      },
      {
        title: 'Ask your best sellers',
        text: 'Your most experienced people tell us which combinations make sense and which never do. Their rules go into the engine beside what the data says.',
      },
      {
        title: 'Test with one team',
        text: 'A few salespeople work from the weekly list while another group carries on as usual. Comparing the two shows what the suggestions add.',
      },
      {
        title: 'Extend to every account',
        text: 'The lists go to the remaining teams, then to service and marketing. Wins and refusals flow back each week and change the ranking.',
      },
    ],
  },
  closing: {
    title: 'Find out what your orders say',
    text: 'We review your product range and a sample of sales data and tell you which customers a first list would name.',
  },
};
