import checkFile from 'eslint-plugin-check-file';
import importX from 'eslint-plugin-import-x';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const sides = ['client', 'server', 'jobs', 'ops', 'migrations', 'scripts', 'tests', 'bench'];

/** `target` may not import `from`, with the sentence a developer reads. */
const wall = (target, from, message) => ({ target, from, message });

/** Imports point one way: see ARCHITECTURE.md. */
const walls = [
  ...['jobs', 'ops', 'migrations', 'shared', 'scripts', 'client'].map((side) =>
    wall(`./${side}`, './server', 'Nothing imports the web process.'),
  ),
  wall('./client', './shared/node', 'The browser has no Node: shared/node is for web and worker.'),
  wall('./client', './jobs', 'The browser may import shared only.'),
  wall('./client', './migrations', 'The browser may import shared only.'),
  wall('./server', './jobs', 'Web and worker meet in shared/node only.'),
  wall('./server', './migrations', 'Migrations run in a process of their own.'),
  wall('./server', './client', 'Pages are reached through the build, in server/pages/ only.'),
  wall('./jobs', './client', 'The worker renders no pages.'),
  wall('./jobs', './migrations', 'Migrations run in a process of their own.'),
  ...['client', 'server', 'jobs', 'migrations', 'shared'].map((side) =>
    wall(`./${side}`, './ops', 'Nothing imports the operator’s tool.'),
  ),
  wall('./ops', './client', 'The operator’s tool renders no pages.'),
  wall('./ops', './migrations', 'Migrations run in a process of their own.'),
  ...['client', 'jobs', 'migrations', 'scripts', 'tests', 'bench'].map((side) =>
    wall('./shared', `./${side}`, 'shared imports nothing of ours.'),
  ),
  wall('./shared/!(node)/**/*', './shared/node', 'Only Node code may import shared/node.'),
  wall('./shared/*.ts', './shared/node', 'Only Node code may import shared/node.'),
  ...['client', 'server', 'jobs', 'ops'].flatMap((side) =>
    ['scripts', 'tests', 'bench'].map((tool) =>
      wall(`./${side}/**/!(*.test).{ts,tsx}`, `./${tool}`, 'The product does not need its tools.'),
    ),
  ),
];

/** Packages with one home: their next major version touches no other folder. */
const packageHomes = [
  {
    packages: [
      'bullmq',
      '@bull-board/api',
      '@bull-board/api/bullMQAdapter',
      '@bull-board/fastify',
    ],
    home: 'shared/node/queues/*.ts',
  },
  { packages: ['ioredis'], home: 'shared/node/redis/*.ts' },
  { packages: ['prom-client'], home: 'shared/node/monitoring/*.ts' },
  { packages: ['knex'], home: '{shared/node,shared/node/deliveries,migrations}/*.ts' },
  { packages: ['nodemailer'], home: 'shared/node/mail/*.ts' },
  { packages: ['undici'], home: 'shared/node/outbound/*.ts' },
  {
    packages: ['vite-plugin-ssr/server', 'vite-plugin-ssr/client'],
    home: '{server/ssr,client/renderer,client/pages}/**/*.{ts,tsx}',
  },
];

const restrict = (homes) => ({
  'no-restricted-imports': [
    'error',
    {
      paths: homes.flatMap(({ packages, home }) =>
        packages.map((name) => ({ name, message: `${name} has its home in ${home}.` })),
      ),
    },
  ],
});

const productFiles = '{client,server,jobs,ops,migrations,shared}/**/*.{ts,tsx}';

const homeRules = [
  { files: [productFiles], rules: restrict(packageHomes) },
  ...packageHomes.map((own) => ({
    files: [own.home],
    rules: restrict(packageHomes.filter((other) => other !== own)),
  })),
];

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.data/'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: [
          ...sides.map((side) => `./${side}/tsconfig.json`),
          './shared/tsconfig.json',
          './shared/node/tsconfig.json',
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
  },
  {
    plugins: { 'import-x': importX, 'check-file': checkFile },
    settings: {
      'import-x/extensions': ['.ts', '.tsx', '.mjs'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      'import-x/resolver': { node: { extensions: ['.ts', '.tsx', '.mjs', '.js'] } },
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones: walls }],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'check-file/filename-naming-convention': [
        'error',
        { '{client/!(renderer|pages),server,jobs,ops,shared,scripts,tests,bench}/**/*.*': 'KEBAB_CASE' },
        { ignoreMiddleExtensions: true },
      ],
      'check-file/folder-naming-convention': [
        'error',
        { '{client,server,jobs,ops,shared,scripts,tests,bench}/**/': 'KEBAB_CASE' },
      ],
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 250, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/require-await': 'off',
      // Fastify's reply is thenable without being a promise to wait for.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
    },
  },
  {
    files: [productFiles],
    ignores: ['shared/node/config/{config,stack-secrets}.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Settings are read in shared/node/config.' },
      ],
    },
  },
  {
    files: ['{jobs,server,ops,shared/node,migrations}/**/*.{ts,tsx}'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(NewExpression, CallExpression)[callee.name="Error"]',
          message: 'The log shows the message of a SiteError only: shared/node/logging/describe-error.ts.',
        },
      ],
    },
  },
  {
    // React's `use` apart, hooks live in components and hooks.
    files: ['client/**/*.tsx', 'client/**/use-*.ts'],
    ...reactHooks.configs.flat.recommended,
  },
  {
    // What the visitor's console is told, and what vite-plugin-ssr writes to ours.
    files: [
      'client/features/contact/**',
      'client/components/background-video.tsx',
      'server/pages/console-warnings.ts',
      'scripts/**',
      'bench/**',
      // Its figures are to be seen in every run.
      'tests/integration/header-scan.test.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    // Declarations of modules can't import what they name.
    files: ['**/*.d.ts'],
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
    },
  },
  {
    files: ['**/*.test.ts', 'tests/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': 'off',
      // Vitest's asymmetric matchers are typed so.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs}', 'vite.config.ts', 'vitest.config.ts'],
    ...tseslint.configs.disableTypeChecked,
  },
  ...homeRules,
);
