import type { ArticleSlug } from '../../../shared/content/articles.ts';

/** What an article says, in short. */
export interface ArticleSummary {
  readonly paragraphs: readonly string[];
  readonly pointsHeading: string;
  readonly points: readonly string[];
}

export const articleSummaries: Readonly<Record<ArticleSlug, ArticleSummary>> = {
  'ai-trends-2024': {
    paragraphs: [
      'AI used to be a project for companies with a research department. That is over: the tools have become easy to buy and easy to try, and the advantage has moved from having them to using them well.',
      'For a mid-market company this changes the question. It is no longer whether to begin, but which process goes first, which data it needs, and who answers for the result. We look at five shifts, say what we expect of 2025, and end with a readiness plan for the next 90 days.',
    ],
    pointsHeading: 'Five shifts and what follows from them',
    points: [
      'Democratization of AI: what once took specialists is now within reach of every department.',
      'Autonomous processes: software that carries a task through to the end and asks when unsure.',
      'AI as a moat: your own data and processes are what a competitor cannot buy.',
      'Security-first AI: rules for data come before the first tool, and customers ask for them.',
      'Industry-specific AI: systems that know the terms and duties of one trade.',
      'Predictions for 2025, and a 90-day readiness plan to act on them.',
    ],
  },
  'manufacturing-case-study': {
    paragraphs: [
      'This is an illustrative case of an unnamed manufacturer. It started with 18% downtime, inventory cost 25% above average, and forecast accuracy below 70%.',
      'Three uses of AI went in, one after the other: predictive maintenance, quality control, and supply chain intelligence. The assessment took 2 weeks, the pilot 6 weeks, and full deployment 10 weeks.',
      'In the end costs were 35% lower, downtime was substantially reduced, and the first implementation had taken 90 days. What made it work had less to do with software than with order: one line first, one owner per step, and figures everyone could see.',
    ],
    pointsHeading: 'What the case shows',
    points: [
      'Predictive maintenance: repairs happen when they are planned, before the breakdown.',
      'Quality control: deviations are found at the line, before the delivery.',
      'Supply chain intelligence: stock follows demand more closely.',
      'Success factors: a small pilot, data brought together first, operators involved from day one.',
      'Lessons learned: measure before you begin, or you cannot say what changed.',
    ],
  },
  'healthcare-ai-compliance': {
    paragraphs: [
      'In healthcare the question is seldom whether AI could help. It is whether it may: whose data it sees, who checks what it says, and who answers for it. Providers that settle this first move faster later, because nothing has to be taken back.',
      'Compliance is also one of the places where AI itself helps. Collecting evidence, checking records, and preparing audits is repeated work, and automating it can cut compliance costs by up to 40%.',
    ],
    pointsHeading: 'What to weigh',
    points: [
      'Where providers use AI: four areas, from the front desk to clinical decision support.',
      'HIPAA: patient data stays under agreement, access is limited, and every access leaves a record.',
      'FDA: software that influences a diagnosis or treatment may count as a medical device.',
      'Four practices that hold up: begin with low-risk work, keep a person in charge, document decisions, and review regularly.',
      'Two illustrative success stories, and the trends to watch.',
    ],
  },
  'ai-transformation-readiness': {
    paragraphs: [
      'Companies are rarely held back by technology. They are held back by beginning too early, or in the wrong place. Five indicators tell you where you stand, and none of them takes a consultant to check.',
      'Go through them with the people who run your daily business. If 3–4 indicators fit, you are ready to start with a first process. If it is fewer than three, build the foundations first: it is cheaper than a pilot that has to be repeated.',
    ],
    pointsHeading: 'The five indicators',
    points: [
      'Your people repeat the same tasks every week, and can describe them step by step.',
      'The data those tasks need exists in digital form, and someone is responsible for it.',
      'Management agrees on what should improve, and by which measure.',
      'There is someone who owns the change, and has the time for it.',
      'Your team is curious: people already ask what could be done differently.',
    ],
  },
  'ai-roi-measurement': {
    paragraphs: [
      'A return that nobody measured is an opinion. Before an AI project begins, write down what the process costs today, in hours, errors, and money. Without that line, every later figure floats.',
      'Plan with room: add a cost buffer of 20–30%, and expect benefits in 6–18 months, depending on the process. Report after 30 days, after 90 days, and every year, with 90 days as the target for the first visible return.',
    ],
    pointsHeading: 'What to count',
    points: [
      'Costs that disappear: hours, fees, rework, and penalties.',
      'Revenue that is added: more offers sent, faster answers, better retention.',
      'Risk that shrinks: fewer errors, missed deadlines, and audit findings.',
      'Options that open: capacity you can use without hiring first.',
      'What to leave out: hours that were saved on paper and spent on something else.',
    ],
  },
  'legacy-system-modernization-guide': {
    paragraphs: [
      'An old system that still does its job is not a problem by itself. It becomes one when nobody dares to change it, when data can only leave it by hand, or when the last person who understands it retires.',
      'Replacing everything at once is the most expensive way to find out what the old system did. It is safer to renew it piece by piece, with the business running all the while, and to begin at the edges, where data goes in and out.',
    ],
    pointsHeading: 'An order that works',
    points: [
      'List what each system does, who uses it, and what would stop without it.',
      'Open a door for the data first: reading is less risky than changing.',
      'Replace one function at a time, and run old and new side by side until they agree.',
      'Let AI take over the copying between systems only as long as it has to.',
      'Turn off what has been replaced. A system kept just in case costs like one in use.',
    ],
  },
  'intelligent-expense-management-economics': {
    paragraphs: [
      'Large purchases are negotiated. Small ones are paid. That is why the expenses nobody looks at, such as subscriptions, freight surcharges, and service fees, add up to a sum that would never pass as a single invoice.',
      'Looking at every line by hand costs more than it brings. Software that reads every invoice and compares it with contracts and past prices changes that calculation, because the second thousand lines cost hardly more than the first.',
    ],
    pointsHeading: 'What it takes',
    points: [
      'Assessment: 2–3 weeks to gather documents and find where the money goes.',
      'Implementation: 4–6 weeks to connect the sources and set the rules.',
      'Go-live: 2–3 weeks with a person checking every finding.',
      'Afterwards: a short list of exceptions, in place of a stack of invoices.',
    ],
  },
  'data-driven-culture-transformation': {
    paragraphs: [
      'Most companies have more figures than they use. Reports are written, sent, and filed, and the decision is made as it always was. What is missing is seldom another tool. It is the habit of asking the figures first, and of changing one’s mind when they disagree.',
      'Habits spread from the top and stick at the bottom. When a manager opens the meeting with three figures everyone trusts, people begin to look after those figures. When nobody asks, nobody does.',
    ],
    pointsHeading: 'Habits to begin with',
    points: [
      'Agree on a few figures that matter, and on one place where they are true.',
      'Give each figure an owner who can explain it.',
      'Write down what you expect before a decision, and look again afterwards.',
      'Treat a bad figure as a question. People hide what they are blamed for.',
      'Teach reading data where the work is done, with the data of that work.',
    ],
  },
  'ai-security-considerations': {
    paragraphs: [
      'The question most often asked about AI and security is whether the tool is safe. The better one comes earlier: which data may it see, and who decided that? Where there is no answer, staff find their own, often with private accounts.',
      'Good rules are short, known, and easier to follow than to avoid. They say what may be entered where, which results need a second look, and whom to tell when something goes wrong.',
    ],
    pointsHeading: 'Settle before you start',
    points: [
      'Sort your data: public, internal, confidential, and what must never leave the house.',
      'Read the contract: where data is stored, how long, and whether it trains anyone’s model.',
      'Give access by role, and take it away when the role ends.',
      'Keep a record of what was asked, what was answered, and what was done with it.',
      'Treat text from outside as untrusted: a document can carry instructions to the system reading it.',
    ],
  },
};
