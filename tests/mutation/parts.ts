/** A part of the product, with the tests that should notice faults in it. */
export interface MutationPart {
  readonly name: string;
  /** Glob patterns for the files to plant faults in. */
  readonly mutate: readonly string[];
  /** Glob patterns for the tests that must notice them. Choose few, because each runs many times. */
  readonly tests: readonly string[];
  /** Kinds of faults that are not planted: https://stryker-mutator.io/docs/mutation-testing-elements/supported-mutators */
  readonly excludedMutations?: readonly string[];
}

const ofDeliveries = {
  tests: [
    'shared/deliveries/*.test.ts',
    'shared/node/outbound/delivery-error.test.ts',
    'tests/integration/{delivery-rules/*,delivery-store/*,job-queue,follow-up-outcomes,ops-deliveries}.test.ts',
  ],
  // Strings are SQL or column names here. PostgreSQL rejects an empty one, whatever the tests check.
  excludedMutations: ['StringLiteral'],
};

/** The parts in the order they run, cheapest first. */
export const mutationParts: readonly MutationPart[] = [
  {
    name: 'links',
    mutate: ['shared/node/mail/signed-action-link.ts'],
    tests: ['shared/node/mail/signed-action-link.test.ts'],
  },
  {
    name: 'contact',
    mutate: ['shared/contact/*.ts'],
    tests: ['shared/contact/*.test.ts', 'shared/node/response-promise/write-promise.test.ts'],
  },
  {
    name: 'escaping',
    mutate: ['shared/escape-html.ts', 'shared/node/files/spreadsheet-csv.ts', 'shared/node/mail/untrusted-text.ts'],
    tests: ['shared/node/files/spreadsheet-csv.test.ts', 'shared/node/mail/untrusted-text.test.ts'],
  },
  {
    name: 'mails',
    mutate: ['shared/node/mail/render-{html,mail}.ts'],
    tests: ['shared/node/mail/render-mail.test.ts', 'jobs/*/*-mail.test.ts'],
  },
  {
    name: 'limits',
    mutate: ['server/http/rate-limits.ts', 'server/contact/submission-limits.ts'],
    tests: [
      'server/http/rate-limits.test.ts',
      'server/contact/submission-limits.test.ts',
      'tests/integration/shared-limits.test.ts',
    ],
  },
  {
    name: 'erasure',
    mutate: ['shared/node/erasure/*.ts'],
    tests: [
      'shared/node/erasure/*.test.ts',
      'tests/integration/{erasures/*,ops-erasure/retention}.test.ts',
    ],
  },
  {
    name: 'leases',
    mutate: ['shared/node/deliveries/{claim-delivery,leased-delivery,sweep-queries}.ts'],
    ...ofDeliveries,
  },
  {
    name: 'deliveries',
    mutate: [
      'shared/deliveries/*.ts',
      'shared/node/outbound/delivery-error.ts',
      'shared/node/deliveries/{delivery-*,list-deliveries,outcome-mails}.ts',
    ],
    ...ofDeliveries,
  },
  {
    name: 'runner',
    mutate: ['jobs/deliveries/{claim-limiter,delivery-handler,process-delivery,run-due,sweep-deliveries}.ts'],
    tests: ['jobs/deliveries/*.test.ts', 'tests/integration/{delivery-rules,delivery-runner}/*.test.ts'],
  },
];

/** Returns whether a part's tests need PostgreSQL. */
export const needsDatabase = ({ tests }: MutationPart): boolean =>
  tests.some((pattern) => pattern.startsWith('tests/integration/'));
