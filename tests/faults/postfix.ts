import { execFile } from 'node:child_process';
import { chown, chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import PostalMime, { type Email } from 'postal-mime';
import { onTestFinished } from 'vitest';
import { findFreePort, isPortFree } from '../../scripts/free-port.ts';
import { startProcess } from '../../scripts/processes.ts';
import type { Certificate } from '../support/certificates.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** A mail in a mailbox. */
interface DeliveredMail {
  /** The file, with what Postfix wrote before the mail's own headers. */
  readonly raw: string;
  readonly mail: Email;
  readonly receivedAt: number;
}

/** Debian's Postfix, with a configuration, a queue and mailboxes of its own. */
export interface Postfix {
  readonly port: number;
  /** Opens the mailbox of `NAME@example.com`. */
  readonly listMails: (name: string) => Promise<DeliveredMail[]>;
  /** What Postfix logged. */
  readonly readLog: () => Promise<string>;
  /** Changes a parameter of main.cf and makes Postfix read it. */
  readonly configure: (name: string, value: string) => Promise<void>;
}

const run = promisify(execFile);
/** Debian's `nobody`: it owns the mailboxes, since Postfix delivers to nobody as root. */
const MAILBOX_OWNER = 65_534;
/** Debian's folder of the programs that Postfix' master starts. */
const DAEMON_FOLDER = '/usr/lib/postfix/sbin';

interface PostfixOptions {
  /** Who has a mailbox, before `@example.com`. */
  readonly mailboxes: readonly string[];
  readonly certificate: Certificate;
  /** Port of the policy server. */
  readonly policyPort: number;
  /** More parameters of main.cf. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** main.cf of a server that demands STARTTLS, and of what is optional the strict variant. */
function makeParameters(folder: string, { mailboxes, policyPort, parameters }: PostfixOptions) {
  const askPolicy = `check_policy_service inet:127.0.0.1:${policyPort}`;

  return {
    compatibility_level: '3.6',
    queue_directory: join(folder, 'queue'),
    data_directory: join(folder, 'data'),
    maillog_file: join(folder, 'mail.log'),
    maillog_file_prefixes: folder,
    myhostname: 'mail.example.com',
    inet_protocols: 'ipv4',
    smtpd_peername_lookup: 'no',
    mydestination: '',
    local_recipient_maps: '',
    alias_maps: '',
    virtual_mailbox_domains: 'example.com',
    virtual_mailbox_base: join(folder, 'mailboxes'),
    virtual_mailbox_maps: `inline:{ ${mailboxes.map((name) => `{ ${name}@example.com = ${name}/ }`).join(' ')} }`,
    virtual_uid_maps: `static:${MAILBOX_OWNER}`,
    virtual_gid_maps: `static:${MAILBOX_OWNER}`,
    smtpd_tls_chain_files: join(folder, 'server.pem'),
    smtpd_tls_security_level: 'encrypt',
    smtpd_tls_received_header: 'yes',
    smtputf8_enable: 'no',
    strict_rfc821_envelopes: 'yes',
    strict_8bitmime: 'yes',
    strict_mime_encoding_domain: 'yes',
    smtpd_forbid_bare_newline: 'reject',
    smtpd_helo_required: 'yes',
    smtpd_helo_restrictions: 'reject_invalid_helo_hostname, reject_non_fqdn_helo_hostname',
    smtpd_sender_restrictions: 'reject_non_fqdn_sender',
    smtpd_recipient_restrictions: `reject_non_fqdn_recipient, reject_unauth_destination, ${askPolicy}`,
    smtpd_data_restrictions: 'reject_unauth_pipelining',
    smtpd_end_of_data_restrictions: askPolicy,
    ...parameters,
  };
}

/** master.cf: service, type, private, unprivileged, chroot, wakeup, most processes, program. */
const makeServices = (port: number) => `
127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
tlsmgr unix - - n 1000? 1 tlsmgr
anvil unix - - n - 1 anvil
virtual unix - n n - - virtual
postlog unix-dgram n - n - 1 postlogd
`;

async function writeConfiguration(folder: string, port: number, options: PostfixOptions): Promise<void> {
  const { key, cert } = options.certificate;
  const lines = Object.entries(makeParameters(folder, options)).map(([name, value]) => `${name} = ${value}\n`);
  // Postfix' programs give up root, and must still enter.
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'server.pem'), key + cert, { mode: 0o600 });
  await writeFile(join(folder, 'main.cf'), lines.join(''));
  await writeFile(join(folder, 'master.cf'), makeServices(port).trimStart());
  await mkdir(join(folder, 'queue'));
  await mkdir(join(folder, 'mailboxes'));
  await chown(join(folder, 'mailboxes'), MAILBOX_OWNER, MAILBOX_OWNER);
}

async function readMail(file: string): Promise<DeliveredMail> {
  const raw = await readFile(file, 'utf8');

  return { raw, mail: await PostalMime.parse(raw), receivedAt: (await stat(file)).mtimeMs };
}

/**
 * Starts Postfix until the test ends.
 * @throws when we are not root, as whom it starts its processes
 */
export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  if (process.getuid?.() !== 0) throw new Error('Postfix is started by root only: run as root.');
  const folder = makeTemporaryFolder();
  const port = await findFreePort();
  await writeConfiguration(folder, port, options);
  const readLog = () => readFile(join(folder, 'mail.log'), 'utf8').catch(() => '');
  // Creates the folders in the queue.
  await run('postfix', ['-c', folder, 'check']).catch(async (error: unknown) => {
    throw new Error(`Postfix refuses its configuration: ${await readLog()}`, { cause: error });
  });
  const master = startProcess(join(DAEMON_FOLDER, 'master'), ['-c', folder, '-d'], { name: 'Postfix', cwd: '/' });
  onTestFinished(() => master.stop('SIGTERM', AbortSignal.timeout(10_000)));
  await waitFor('Postfix', async () => {
    if (master.hasExited()) throw new Error(`Postfix ended: ${await readLog()}`);

    return !(await isPortFree(port));
  });

  return {
    port,
    readLog,
    listMails: async (name) => {
      const inbox = join(folder, 'mailboxes', name, 'new');
      const files = await readdir(inbox).catch(() => []);

      return Promise.all(files.sort().map((file) => readMail(join(inbox, file))));
    },
    configure: async (name, value) => {
      await run('postconf', ['-c', folder, '-e', `${name} = ${value}`]);
      await run('postfix', ['-c', folder, 'reload']);
    },
  };
}
