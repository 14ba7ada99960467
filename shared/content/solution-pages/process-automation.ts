import type { SolutionPage } from './solution-page.ts';

export const processAutomation: SolutionPage = {
  metaTitle: 'Process Automation for Office and Plant',
  metaDescription:
    'Orders, approvals, reports, maintenance: software moves them from system to system, and your people handle the exceptions. Start with a process assessment.',
  updatedOn: '2026-11-26',
  headline: 'Routine work, finished before the first coffee',
  description:
    'We connect the systems you have, let software carry data and papers between them, and bring your people only what needs a decision.',
  ctaLabel: 'Get Your Process Assessment',
  figures: [
    { value: '50%', label: 'lower maintenance cost, typical for manufacturing clients' },
    { value: '60%', label: 'less downtime, typical for manufacturing clients' },
  ],
  pairs: {
    heading: 'Complaints we hear, and what we build',
    lead: 'Open the one that sounds like your office or shop floor.',
    pairs: [
      {
        problem: {
          icon: 'file-text',
          title: 'We keep retyping the same order',
          text: 'Sales enters it, the warehouse enters it, and billing enters it. A slip in the first entry shows up as a wrong delivery.',
        },
        solution: {
          icon: 'workflow',
          title: 'One entry that feeds every system',
          text: 'The order is read from the customer’s email or form and written to sales, warehouse, and billing together. Unclear fields wait for a click.',
        },
      },
      {
        problem: {
          icon: 'clock',
          title: 'Approvals sit in someone’s inbox',
          text: 'A purchase waits because the manager is traveling. The requester sends reminders, and the supplier moves the delivery date.',
        },
        solution: {
          icon: 'git-branch',
          title: 'Requests that find the right desk',
          text: 'Amount and cost center decide who signs. The approver sees the remaining budget and answers from a phone; during an absence, the deputy gets it.',
        },
      },
      {
        problem: {
          icon: 'chart-column',
          title: 'Reports eat up our Monday morning',
          text: 'Someone exports tables, pastes them together, and fixes the formulas that broke. The numbers are stale by the time the meeting opens.',
        },
        solution: {
          icon: 'calendar-check',
          title: 'A report built overnight',
          text: 'Sales, output, and cash are pulled at night and compared with the day before. Jumps are marked, and the link arrives before work starts.',
        },
      },
      {
        problem: {
          icon: 'factory',
          title: 'Machines stop when we need them most',
          text: 'A bearing fails mid-shift, the crew stands idle, and the spare part is rushed in. Overtime follows on the weekend.',
        },
        solution: {
          icon: 'gauge',
          title: 'Repairs planned from machine readings',
          text: 'Vibration, heat, and run hours are compared with each machine’s normal pattern. Drift opens a work order, with parts reserved for the next planned stop.',
        },
      },
      {
        problem: {
          icon: 'receipt-text',
          title: 'Which order is this packing slip for?',
          text: 'Receiving signs a paper slip, accounting gets an invoice, and the purchase order is filed somewhere else. Payment stalls while people search.',
        },
        solution: {
          icon: 'file-check',
          title: 'Order, slip, and invoice matched',
          text: 'A photo of the slip is enough. Software pairs it with the order and the invoice, books what agrees, and shows a clerk what differs.',
        },
      },
      {
        problem: {
          icon: 'users',
          title: 'New hires wait days for access',
          text: 'Accounts, badge, laptop, and safety briefing each need a separate request. The first morning is spent on a login that fails.',
        },
        solution: {
          icon: 'list-checks',
          title: 'One form starts every request',
          text: 'Once HR enters the start date, each department gets its task and due date. The new manager sees what is still open.',
        },
      },
    ],
  },
  benefits: {
    heading: 'How the working week changes',
    points: [
      {
        icon: 'smile',
        title: 'Hours back in the week',
        text: 'Order clerks call customers about delivery dates, because the entry that used to fill their morning is already done.',
      },
      {
        icon: 'search',
        title: 'Mistakes caught at the door',
        text: 'A price or part number is keyed in one place. Values that look odd are held before they reach an invoice or a machine.',
      },
      {
        icon: 'history',
        title: 'A log nobody has to write',
        text: 'Each handoff leaves a time and a name. When an auditor or a customer asks what happened, you look it up.',
      },
      {
        icon: 'trending-up',
        title: 'Growth with the same team',
        text: 'When order volume rises, software takes the added lines. You hire for skills you lack, and the back office goes home on time.',
      },
    ],
  },
  mapping: {
    heading: 'Who does what after the change',
    lead: 'A week of routine tasks, each with its new owner and what your team gains.',
    rows: [
      {
        task: 'Chasing customers for overdue payments',
        takenOverBy: 'Reminders timed by due date, with disputes passed to a person',
        givesBack: 'Collections talks to the hard cases',
      },
      {
        task: 'Sending delivery updates by email',
        takenOverBy: 'Messages triggered by the carrier’s status, in your wording',
        givesBack: 'A quieter phone at the service desk',
      },
      {
        task: 'Counting shelves and reordering parts',
        takenOverBy: 'Stock levels that raise a purchase request when they fall too low',
        givesBack: 'Stockroom staff walk the aisles only to verify',
      },
      {
        task: 'Filling in shift and inspection sheets',
        takenOverBy: 'A tablet form that takes the readings and flags bad values',
        givesBack: 'Supervisors see the shift while it runs',
      },
      {
        task: 'Collecting timesheets for payroll',
        takenOverBy: 'Clock data checked against the schedule, with gaps sent to managers',
        givesBack: 'Payroll closes without a round of calls',
      },
      {
        task: 'Assigning jobs to field technicians',
        takenOverBy: 'A planner that weighs skill, distance, and spare parts on hand',
        givesBack: 'Shorter drives, and the right part in the van',
      },
    ],
  },
  // Sample copy: replace with a customer's own words before going live.
  testimonial: {
    quote:
      'The report I would have been building on Monday is on my screen when I come in. I spend that hour with the crew.',
    role: 'Plant Manager',
    companySize: 'mid-sized metal-parts manufacturer',
  },
  howItWorks: {
    heading: 'How a task leaves your desk',
    steps: [
      {
        title: 'Discovery',
        text: 'We watch the task being done, click by click, with the clerk or operator who knows it. Workarounds and side lists count too, because the automation has to handle them.',
      },
      {
        title: 'Strategy',
        text: 'We draw the new flow on one sheet: which system holds the data, which rules apply, where a person decides. You sign off on the sheet and the cost before anything is built.',
      },
      {
        title: 'Pilot',
        text: 'A single line, branch, or document type goes first, on live cases. Staff keep their manual fallback and mark every miss, and we correct the rules from their notes.',
      },
      {
        title: 'Scale',
        text: 'The flow opens to the remaining sites and document types. Your administrators get the rule book, an alert for failed runs, and a direct line to us for cases no rule foresaw.',
      },
    ],
  },
  closing: {
    title: 'Name the task your people like least',
    text: 'We follow it from start to finish, and you learn what automating it involves.',
  },
};
