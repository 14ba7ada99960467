import { DEFAULT_CTA_LABEL, type SolutionPage } from './solution-page.ts';

export const whiteLabelPlatform: SolutionPage = {
  metaTitle: 'White-Label Development: AI Under Your Name',
  metaDescription:
    'White-label development for firms with expertise to sell: we build, host, and maintain an AI product that your clients know only by your brand.',
  updatedOn: '2026-11-26',
  headline: 'Your expertise, sold as your own software',
  description:
    'You bring the expertise and the clients; we supply a working base, the developers, and the operation behind a product that carries your brand.',
  ctaLabel: DEFAULT_CTA_LABEL,
  figures: [
    { value: '80%', label: 'faster launch in a typical project' },
    { value: '70–90%', label: 'lower costs, typical of a white-label build' },
  ],
  challenges: {
    heading: 'Why good product ideas stay on paper',
    lead: 'The idea is often sound; what stops it is everything a software company has and your firm lacks.',
    points: [
      {
        title: 'A team you have to hire',
        text: 'You need developers, a designer, a tester, and someone to lead them. Recruiting alone uses up the months in which a competitor signs your clients.',
      },
      {
        title: 'Everything built from zero',
        text: 'Logins, billing, user rights, and dashboards swallow the first budget. None of it is the expertise your clients would pay for.',
      },
      {
        title: 'The security questionnaire',
        text: 'A large prospect likes the demo and sends a long form. Without written answers on access, backups, and encryption, the order stops there.',
      },
      {
        title: 'Costs after the launch',
        text: 'Hosting, updates, and support tickets come every month. A consulting firm has no night shift to take the call when the service is down.',
      },
    ],
  },
  benefits: {
    heading: 'What your product starts with',
    lead: 'Otherwise you would have to hire, write, or buy each of these.',
    points: [
      {
        icon: 'building-2',
        title: 'Your brand on every screen',
        text: 'Logo, colors, domain, and sender addresses are yours. Clients log in, get invoices, and ask for help without seeing our name.',
      },
      {
        icon: 'layers',
        title: 'A base that already works',
        text: 'Accounts, permissions, search, and document reading exist and have been tested. Your budget goes into what only your firm knows.',
      },
      {
        icon: 'lightbulb',
        title: 'Your method, built in',
        text: 'We turn your checklists and scoring rules into screens and reports, and your experts test the answers against past cases.',
      },
      {
        icon: 'trending-up',
        title: 'A first version to sell',
        text: 'The one feature clients already request is built first. Early users pay for it while they shape the next release.',
      },
      {
        icon: 'banknote',
        title: 'Your prices, your contracts',
        text: 'You decide whether to charge by seat, by document, or by month. The customer relationship and its revenue stay with you.',
      },
      {
        icon: 'plug',
        title: 'Upkeep under one agreement',
        text: 'Hosting, monitoring, backups, and updates come at a monthly price you know before you quote your first client.',
      },
    ],
  },
  enterpriseBenefits: {
    heading: 'What large clients will ask about',
    lead: 'Their IT and legal departments read before they sign, so the answers are ready.',
    points: [
      {
        icon: 'shield-check',
        title: 'Security answers on file',
        text: 'We are SOC2 certified and give you written replies for the questionnaire, ready to send on your letterhead.',
      },
      {
        icon: 'layers',
        title: 'Separate data for each client',
        text: 'Every client company has its own data area. One customer’s documents are kept out of another customer’s answers.',
      },
      {
        icon: 'key-round',
        title: 'Sign-in through their directory',
        text: 'Staff at the client use their usual company login. When someone leaves, access ends with the account their IT closes.',
      },
      {
        icon: 'handshake',
        title: 'A way out, in writing',
        text: 'Our agreement states who owns the code and the data, and in which format you receive both if you ever leave us.',
      },
    ],
  },
  // Sample copy: replace with a customer's own words before going live.
  testimonial: {
    quote:
      'Clients assume we keep developers in the basement. What we keep is our method, and now it has a login page.',
    role: 'Founder',
    companySize: 'compliance advisory firm with a few dozen employees',
  },
  howItWorks: {
    heading: 'The way to your first paying client',
    steps: [
      {
        title: 'Shape the offer',
        text: 'We write down who will buy, what they pay for today, and which of your methods the product will carry. You get a short specification with a price.',
      },
      {
        title: 'Build the first version',
        text: 'Your features go on top of our base. At each review you click through a running version and change your mind while changes are still cheap.',
      },
      {
        title: 'Launch with clients you trust',
        text: 'A few existing clients use it first, under your domain. Their questions become the help pages, and your sales team practices the demo before it meets strangers.',
      },
      {
        title: 'Run and extend',
        text: 'We watch the servers, ship the updates, and answer technical tickets behind your support desk. Usage reports show you which feature is worth building next.',
      },
    ],
  },
  closing: {
    title: 'What do your clients keep asking for?',
    text: 'Describe it in a sentence. We sketch a first version and list what it needs before it can carry your name.',
  },
};
