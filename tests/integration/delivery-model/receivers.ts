import { classifySmtpError } from '../../../shared/node/mail/classify-smtp-error.ts';
import type { Mailer } from '../../../shared/node/mail/mailer.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import type { OutboundClient, OutboundResponse } from '../../../shared/node/outbound/outbound-client.ts';
import type { Progress } from './history.ts';
import type { Decision, Gate, Refusal, Stepper } from './stepper.ts';

/*
 * A worker's mail server, CRM and chat. They implement the product's mailer and outbound client, and stop at the gates of
 * an attempt. The next command decides whether they accept, refuse or lose the delivery.
 */

/** SMTP status codes. `credentials` means that the login was refused. */
const smtpStatuses = { temporary: 451, 'permanent': 550, 'rate-limit': 421, credentials: 535 } as const;

/** HTTP status codes. */
const httpStatuses = { temporary: 500, 'permanent': 422, 'rate-limit': 429, credentials: 403 } as const;

const isRefusal = (decision: Decision): decision is Refusal => decision in smtpStatuses;

/** Makes an SMTP error like the ones Nodemailer throws. */
const makeSmtpError = (refusal: Refusal) =>
  Object.assign(new Error('Refused.'), {
    responseCode: smtpStatuses[refusal],
    code: refusal === 'credentials' ? 'EAUTH' : 'EMESSAGE',
  });

/** Returns a function that stops at a gate and records when it was reached. */
function makeGates(stepper: Stepper, progress: Progress) {
  return (gate: Gate): Promise<Decision> => {
    progress.reach(gate);

    return stepper.stopAt(gate);
  };
}

type StopAt = ReturnType<typeof makeGates>;

function createModelMailer(stopAt: StopAt, progress: Progress): Mailer {
  /** Stops the mail at a gate, and classifies a refusal or an error as the SMTP mailer does. */
  const pass = async (gate: Gate) => {
    let failure: unknown;

    try {
      const decision = await stopAt(gate);
      if (!isRefusal(decision)) return decision;
      failure = makeSmtpError(decision);
    } catch (error) {
      failure = error;
    }
    throw classifySmtpError(failure, gate !== 'composed');
  };

  return {
    send: async (mail, { beforeEnd }) => {
      await pass('composed');
      await beforeEnd?.();
      const isDeferred = (await pass('handed-over')) === 'defer' && mail.to.length > 1;
      const deferred = isDeferred ? mail.to.slice(-1) : [];
      progress.take(mail.to.filter((recipient) => !deferred.includes(recipient)));
      await pass('taken');

      return { messageId: `<${mail.key}@example.com>`, deferred, refused: [] };
    },
    verify: () => Promise.resolve(),
    close: () => undefined,
  };
}

const respond = (status: number): OutboundResponse => ({
  status,
  header: (name) => (name === 'retry-after' && status === httpStatuses['rate-limit'] ? '120' : undefined),
  text: '',
  isTruncated: false,
});

/** Stops a call at a gate, and retries a call without a response as the outbound client does. */
async function passCall(stopAt: StopAt, gate: Gate): Promise<Decision> {
  try {
    return await stopAt(gate);
  } catch (error) {
    throw new DeliveryError('retry', 'http-ECONNRESET', { cause: error });
  }
}

const close = () => Promise.resolve();

function createModelCrm(stopAt: StopAt, progress: Progress): OutboundClient {
  let lastStatus = 200;

  return {
    call: async ({ headers }) => {
      // The provider's test call gets the last status, just as the next exports would.
      if (headers['webhook-id']?.startsWith('test_')) return respond(lastStatus);
      const decision = await passCall(stopAt, 'composed');
      lastStatus = isRefusal(decision) ? httpStatuses[decision] : 200;
      if (isRefusal(decision)) return respond(lastStatus);
      progress.take([]);
      await passCall(stopAt, 'taken');

      return respond(200);
    },
    close,
  };
}

/** A chat. Each call hands it an announcement. */
const createModelChat = (stopAt: StopAt, progress: Progress): OutboundClient => ({
  call: async () => {
    const decision = await passCall(stopAt, 'handed-over');
    if (isRefusal(decision)) return respond(httpStatuses[decision]);
    progress.take([]);
    await passCall(stopAt, 'taken');

    return respond(200);
  },
  close,
});

export function createReceivers(stepper: Stepper, progress: Progress) {
  const stopAt = makeGates(stepper, progress);

  return {
    mailer: createModelMailer(stopAt, progress),
    crm: createModelCrm(stopAt, progress),
    chat: createModelChat(stopAt, progress),
  };
}
