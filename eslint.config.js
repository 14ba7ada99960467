import css from '@eslint/css';
import checkFile from 'eslint-plugin-check-file';
import importX from 'eslint-plugin-import-x';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** Returns a rule that forbids `target` to import from any of `folders`. `message` is the error. */
const forbidImports = (target, folders, message) => ({ target, from: folders.map((folder) => `./${folder}`), message });

/** The folders that each folder of the product may not import (ARCHITECTURE.md). `shared/node` has its own rule below. */
const forbidden = {
  client: ['shared/node', 'server', 'jobs', 'ops', 'migrations'],
  server: ['client', 'jobs', 'ops', 'migrations'],
  jobs: ['client', 'server', 'ops', 'migrations'],
  ops: ['client', 'server', 'jobs', 'migrations'],
  migrations: ['client', 'server', 'jobs', 'ops'],
  shared: ['client', 'server', 'jobs', 'ops', 'migrations'],
};
const tools = ['scripts', 'tests', 'bench'];

/** The folders of `shared/node`, lowest first. A folder may only import lower ones. */
const layers = [
  ...['logging', 'network', 'process', 'files', 'response-promise', 'content', 'redis', 'queues', 'config'],
  ...['outbound', 'mail', 'database', 'alerts'],
  ...['contact', 'deliveries', 'held-requests', 'follow-up', 'newsletter', 'report', 'erasure', 'retention'],
  ...['monitoring', 'crm'],
];

/** Imported as `#content/…`, which is a different module in the browser. */
const CONTENT = ['./content/content.ts'];

const importRules = [
  ...Object.entries(forbidden).flatMap(([side, others]) => [
    { ...forbidImports(`./${side}`, others, `Nothing in ${side}/ imports ${others.join(', ')}: see ARCHITECTURE.md.`), except: CONTENT },
    forbidImports(`./${side}/**/!(*.test).{ts,tsx}`, tools, 'Product code must not import build and test tools.'),
  ]),
  { ...forbidImports(['./shared/!(node)/**/*', './shared/*.ts'], ['shared/node'], 'Only Node code may import shared/node.'), except: CONTENT },
  ...layers.slice(0, -1).map((layer, index) =>
    forbidImports(
      `./shared/node/${layer}/**/!(*.test).ts`,
      layers.slice(index + 1).map((above) => `shared/node/${above}`),
      `${layer}/ is below that folder: see \`layers\` in eslint.config.js.`,
    ),
  ),
  {
    ...forbidImports(tools.map((tool) => `./${tool}`), ['migrations'], 'Import migrations through migration-source.ts.'),
    except: ['./migration-source.ts'],
  },
  forbidImports('./scripts', ['jobs', 'ops'], 'Scripts start the processes, they don’t import them.'),
  // The build renders every page once.
  { ...forbidImports('./scripts', ['server'], 'Scripts start the processes, they don’t import them.'), except: ['./ssr'] },
];

/**
 * Returns rules against paths into `others`: `new URL('../x/', import.meta.url)`, `join(import.meta.dirname, '../x')`,
 * and dynamic imports, even with templates. Import rules don’t check these.
 */
function forbidPaths(others) {
  const path = `/^(?:\\.{1,2}\\/)*(?:${others.map((other) => other.replaceAll('/', '\\/')).join('|')})(?:\\/|$)/`;
  const callers = [
    'NewExpression[callee.name="URL"][arguments.1.object.type="MetaProperty"]',
    'CallExpression[callee.name=/^(?:join|resolve)$/][arguments.0.object.type="MetaProperty"]',
  ];

  return [...callers, 'ImportExpression'].flatMap((caller) =>
    [`Literal[value=${path}]`, `TemplateLiteral > TemplateElement:first-child[value.raw=${path}]`].map((text) => ({
      selector: `${caller} > ${text}`,
      message: 'Import it instead of building a path into another folder (ARCHITECTURE.md).',
    })),
  );
}

/** Packages that only one folder may import, so that a new major version affects no other folder. */
const packageHomes = [
  { packages: ['bullmq'], home: 'shared/node/queues/*.ts' },
  { packages: ['ioredis'], home: 'shared/node/redis/*.ts' },
  { packages: ['prom-client'], home: 'shared/node/monitoring/*.ts' },
  { packages: ['knex'], home: '{shared/node/database,shared/node/deliveries,migrations}/*.ts' },
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
        packages.map((name) => ({ name, message: `Import ${name} only in ${home}.` })),
      ),
    },
  ],
});

const plainError = {
  selector: ':matches(NewExpression, CallExpression)[callee.name="Error"]',
  message: 'Throw a SiteError. The log omits the messages of other errors (shared/node/logging/describe-error.ts).',
};

const productFiles = '{client,server,jobs,ops,migrations,shared}/**/*.{ts,tsx}';

const homeRules = [
  { files: [productFiles], rules: restrict(packageHomes) },
  ...packageHomes.map((own) => ({
    files: [own.home],
    rules: restrict(packageHomes.filter((other) => other !== own)),
  })),
];

const scripts = ['**/*.{ts,tsx,js,mjs}'];

/** Features newer than Baseline "widely available" that a page works without. All other new features need `@supports`. */
const optionalFeatures = {
  allowProperties: [
    ...['accent-color', 'animation-range', 'content-visibility', 'forced-color-adjust', 'orphans', 'overscroll-behavior'],
    ...['print-color-adjust', 'resize', 'text-size-adjust', 'text-wrap', 'timeline-scope', 'user-select'],
    ...['view-timeline', 'view-transition-name', 'widows'],
  ],
  allowPropertyValues: { 'break-after': ['avoid'], 'font-family': ['ui-monospace'] },
  allowAtRules: ['view-transition'],
  allowSelectors: ['details-content', 'marker', 'selection', 'view-transition-group'],
};

export default tseslint.config(
  { ignores: ['dist/', 'site/', 'node_modules/', '.data/'] },
  {
    files: ['**/*.css'],
    plugins: { css },
    language: 'css/css',
    // The parser doesn't know `:has(> …)` yet.
    languageOptions: { tolerant: true },
    rules: { 'css/use-baseline': ['error', { available: 'widely', ...optionalFeatures }] },
  },
  {
    files: scripts,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.lint.json', tsconfigRootDir: import.meta.dirname },
    },
  },
  {
    files: scripts,
    plugins: { 'import-x': importX, 'check-file': checkFile },
    settings: {
      'import-x/extensions': ['.ts', '.tsx', '.mjs'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      'import-x/resolver': { node: { extensions: ['.ts', '.tsx', '.mjs', '.js'] } },
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones: importRules }],
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
      // Fastify's reply is thenable, but isn't a promise to await.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
    },
  },
  {
    files: [productFiles],
    ignores: ['shared/node/config/{config,known-names,stack-secrets}.ts', 'shared/node/content/build-folder.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Settings are read in shared/node/config.' },
      ],
    },
  },
  ...Object.entries(forbidden).map(([side, others]) => ({
    files: [`${side}/**/*.{ts,tsx}`],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...forbidPaths([...others, ...tools, ...(side === 'shared' ? ['node'] : [])]),
        ...(['client', 'shared'].includes(side) ? [] : [plainError]),
      ],
    },
  })),
  {
    files: ['shared/node/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...forbidPaths([...forbidden.shared, ...tools]), plainError],
    },
  },
  {
    // Imported code would change with the product, so that an old migration would do something else.
    files: ['migrations/2*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          'ImportDeclaration:not([importKind="type"][source.value="knex"])',
          'ImportExpression',
          ':matches(ExportNamedDeclaration, ExportAllDeclaration)[source]',
        ].map((selector) => ({
          selector,
          message: 'Migrations are literal SQL. Import only the type of Knex.',
        })),
      ],
    },
  },
  {
    // Hooks are only called in components and in other hooks, except for React's `use`.
    files: ['client/**/*.tsx', 'client/**/use-*.ts'],
    ...reactHooks.configs.flat.recommended,
  },
  {
    // These write to the visitor's console, handle vite-plugin-ssr's console output, or are command-line tools.
    files: [
      'client/features/contact/**',
      'client/components/background-video.tsx',
      'server/ssr/render-document.ts',
      'scripts/**',
      'bench/**',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    // Module declarations can't have import statements, so they use `import()` types.
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
      // Vitest's asymmetric matchers have the type `any`.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs}', 'vite.config.ts', 'vitest.config.ts'],
    ...tseslint.configs.disableTypeChecked,
  },
  ...homeRules,
);
