import { DEFAULT_CTA_LABEL, type SolutionPage } from './solution-page.ts';

export const aiTransformation: SolutionPage = {
  metaTitle: 'AI Transformation for Mid-Market Companies',
  metaDescription:
    'Which work should AI take on first, and what will it cost? We rank the candidates department by department and build the first ones with your staff.',
  updatedOn: '2026-11-26',
  headline: 'Put AI to work where it pays',
  description:
    'We go through your company department by department, rank what AI should take on, and build the first pieces with the people who will run them.',
  ctaLabel: DEFAULT_CTA_LABEL,
  figures: [
    {
      value: '30–50%',
      label: 'cost reduction that clients typically see in the processes we transform',
    },
  ],
  challenges: {
    heading: 'What holds companies back from using AI well',
    lead: 'Trying AI is easy; keeping it in use across departments is where companies get stuck.',
    points: [
      {
        title: 'Many tools, no plan',
        text: 'Marketing pays for one tool, finance for another, and a third sits in a trial account. What they cost together, and what they brought, is written nowhere.',
      },
      {
        title: 'Figures that disagree',
        text: 'The sales total in the CRM differs from the one in accounting. Before AI can use either, someone has to settle which is right.',
      },
      {
        title: 'Experts with no time',
        text: 'The plant scheduler knows every exception by heart. She is also the one person too busy to write them down.',
      },
      {
        title: 'Pilots that stay pilots',
        text: 'A trial impresses everyone in March and is forgotten by June. It had a budget and a demo, but no department head whose job it became.',
      },
      {
        title: 'Unspoken worry about jobs',
        text: 'Staff hear the word AI and think of layoffs. Until the owner says plainly what happens to whose work, they hold back what they know.',
      },
      {
        title: 'No starting figure',
        text: 'The old way of working was never timed. When the board asks what the new system saved, the answer is a feeling.',
      },
    ],
  },
  benefits: {
    heading: 'What your company has afterward',
    lead: 'This stays with you when our part is done.',
    points: [
      {
        icon: 'list-checks',
        title: 'A ranked list of tasks',
        text: 'Every candidate stands in one table with its yearly cost, its risk, and the effort to move it. Work down from the top and stop where the gain gets small.',
      },
      {
        icon: 'database',
        title: 'One agreed set of figures',
        text: 'Sales, stock, and finance draw on the same records, so a meeting opens with the decision and skips the argument over whose number counts.',
      },
      {
        icon: 'graduation-cap',
        title: 'People who can run it',
        text: 'Each department has a trained owner who can change an instruction, read the log, and stop the system when something looks wrong.',
      },
      {
        icon: 'scale',
        title: 'A report your CFO can check',
        text: 'Hours, error counts, and cost are recorded under the old method and the new one. Both columns sit on one page with their sources.',
      },
    ],
  },
  mapping: {
    heading: 'Today’s tasks and what takes them over',
    lead: 'These are typical candidates from a first ranking, one from each corner of the company.',
    rows: [
      {
        task: 'Answering routine customer emails',
        takenOverBy: 'AI drafts replies from your order records; your clerk approves and sends',
        givesBack: 'Time for the calls that need a person',
      },
      {
        task: 'Writing the monthly management commentary',
        takenOverBy: 'AI writes a first version from the ledger and marks unusual movements',
        givesBack: 'A calmer closing week for the controller',
      },
      {
        task: 'Putting together quotes from old offers',
        takenOverBy: 'AI assembles a draft from similar past offers and current prices',
        givesBack: 'Afternoons with buyers for the sales team',
      },
      {
        task: 'Forecasting demand in a spreadsheet',
        takenOverBy: 'A model reads orders and seasons and proposes purchase quantities',
        givesBack: 'Buyers correct a proposal and place the order',
      },
      {
        task: 'Explaining HR policies to staff',
        takenOverBy: 'An assistant that answers from your handbook and cites the page',
        givesBack: 'Fewer interruptions for a small HR team',
      },
      {
        task: 'Searching old files for a past decision',
        takenOverBy: 'A search across minutes and reports, limited to what each reader may open',
        givesBack: 'Answers during the meeting, while they matter',
      },
    ],
  },
  // Sample copy: replace with a customer's own words before going live.
  testimonial: {
    quote:
      'We had plenty of AI ideas and no way to choose between them. The ranking ended an argument my managers had carried from meeting to meeting.',
    role: 'Chief Operating Officer',
    companySize: 'family-owned building-products company with several hundred employees',
  },
  howItWorks: {
    heading: 'One department leads, the others follow',
    steps: [
      {
        title: 'Discovery',
        text: 'We interview each department head, follow a few orders from first call to payment, and note where hours and money are lost. AI tools you already pay for go on the same list.',
      },
      {
        title: 'Strategy',
        text: 'In a workshop we go through the candidates and the state of their data. You leave it with an order for the year, a budget for each item, and a list of what to leave alone.',
      },
      {
        title: 'Pilot',
        text: 'The first task moves with one department. AI works beside the old method, the task owner compares the two every day, and we continue only if the comparison holds up.',
      },
      {
        title: 'Scale',
        text: 'Other departments follow in the agreed order, each with a trained owner before the start. Every quarter we redo the ranking with you, since prices, tools, and your business will have moved.',
      },
    ],
  },
  closing: {
    title: 'Find out which task should move first',
    text: 'The assessment ranks your most expensive tasks and marks the ones that should stay with people.',
  },
};
