import { createAcknowledgmentHandler } from '../../../jobs/acknowledgment/send-acknowledgment.ts';
import { makeLease, processClaimed } from '../../../jobs/deliveries/process-delivery.ts';
import type { DeliveryHandler, DeliveryServices } from '../../../jobs/deliveries/delivery-handler.ts';
import { createChatHandler } from '../../../jobs/chat/announce-request.ts';
import { createCrmExportHandler } from '../../../jobs/crm-export/export-to-crm.ts';
import { createOutcomeHandler } from '../../../jobs/follow-up/send-outcome.ts';
import { createFollowUpHandler } from '../../../jobs/follow-up/send-follow-up.ts';
import { getMailSettings } from '../../../jobs/mail-settings.ts';
import { mapKinds, type DeliveryKind } from '../../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../../shared/node/config/timings.ts';
import type { Database } from '../../../shared/node/database/database.ts';
import { claimNextDelivery } from '../../../shared/node/deliveries/claim-delivery.ts';
import { runJob, unobserved } from '../../support/delivery-job.ts';
import { createProgress, type History, type Progress } from './history.ts';
import { createReceivers } from './receivers.ts';
import type { Site } from './site.ts';
import type { Assignment } from './world.ts';
import { createStepper, type Stepper } from './stepper.ts';

/** A worker that processes one delivery at a time and stops at every gate. Several of them simulate concurrency. */
export interface Worker extends Pick<Stepper, 'getGate' | 'goOn' | 'fail'> {
  /** Runs a delivery's job up to its first gate, as a queue would. */
  readonly runJob: (deliveryId: string) => Promise<void>;
  /** Claims and runs the next due delivery of a kind up to its first gate, as the due-runner does. */
  readonly runDue: (kind: DeliveryKind) => Promise<void>;
  /** Stops the worker like SIGKILL. It writes nothing more. */
  readonly crash: () => Promise<void>;
}

/** A database that throws once its worker has crashed. */
function makeMortal(database: Database, isAlive: () => boolean): Database {
  const requireLife = () => {
    if (!isAlive()) throw new Error('This worker has crashed.');
  };

  return new Proxy(database, {
    apply: (target, self, args: Parameters<Database>) => {
      requireLife();

      return Reflect.apply(target, self, args) as unknown;
    },
    get: (target, key) => {
      requireLife();

      return Reflect.get(target, key) as unknown;
    },
  });
}

/** The worker's production services, with a mail server, CRM and chat that the commands control. */
function createServices(
  site: Site,
  assignment: Assignment,
  database: Database,
  stepper: Stepper,
  progress: Progress,
  shutdown: AbortSignal,
): DeliveryServices {
  const { config, logger } = site;
  const { mailer, crm, chat } = createReceivers(stepper, progress);
  const settings = { ...getMailSettings(config), assignment, acknowledges: true };
  const stopWhenClaimed =
    (handler: DeliveryHandler): DeliveryHandler =>
    async (delivery, signal) => {
      progress.begin(delivery);
      await stepper.stopAt('claimed');

      return handler(delivery, signal);
    };

  return {
    ...unobserved,
    database,
    handlers: {
      ...mapKinds(() => () => Promise.reject(new Error('The model only has deliveries for requests.'))),
      'follow-up': stopWhenClaimed(createFollowUpHandler(database, mailer, settings)),
      outcome: stopWhenClaimed(createOutcomeHandler(database, mailer, settings)),
      'outcome-undone': stopWhenClaimed(createOutcomeHandler(database, mailer, settings)),
      'crm-export': stopWhenClaimed(createCrmExportHandler(database, config.crm, crm)),
      acknowledgment: stopWhenClaimed(createAcknowledgmentHandler(database, mailer, settings)),
      chat: stopWhenClaimed(createChatHandler(database, config.chat, chat, settings)),
    },
    timings: productionTimings,
    logger,
    shutdown,
  };
}

export function createWorker(site: Site, history: History, assignment: Assignment): Worker {
  const end = new AbortController();
  const database = makeMortal(site.database, () => !end.signal.aborted);
  const stepper = createStepper();
  const progress = createProgress(site, history);
  const services = createServices(site, assignment, database, stepper, progress, end.signal);
  const begin = (attempt: () => Promise<unknown>) => stepper.begin(() => attempt().finally(progress.end));

  return {
    getGate: stepper.getGate,
    goOn: stepper.goOn,
    fail: stepper.fail,
    runJob: (deliveryId) => begin(() => runJob(services, { deliveryId })),
    runDue: (kind) =>
      begin(async () => {
        const delivery = await claimNextDelivery(database, kind, 0, makeLease(productionTimings));
        if (delivery) await processClaimed(services, delivery);
      }),
    crash: async () => {
      end.abort();
      // The attempt's next database call throws. Ignore that error.
      if (stepper.getGate()) await stepper.fail(new Error('Crash.')).catch(() => undefined);
    },
  };
}
