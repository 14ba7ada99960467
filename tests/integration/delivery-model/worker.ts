import { makeLease, processClaimed, processDelivery } from '../../../jobs/deliveries/process-delivery.ts';
import type { DeliveryHandler, DeliveryServices } from '../../../jobs/deliveries/delivery-handler.ts';
import { createCrmExportHandler } from '../../../jobs/crm-export/export-to-crm.ts';
import { createFollowUpHandler } from '../../../jobs/follow-up/send-follow-up.ts';
import type { DeliveryKind } from '../../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../../shared/node/config/timings.ts';
import type { Database } from '../../../shared/node/database/database.ts';
import { claimNextDelivery } from '../../../shared/node/deliveries/claim-delivery.ts';
import type { History } from './history.ts';
import { createProgress, type Progress } from './progress.ts';
import { createReceivers } from './receivers.ts';
import type { Site } from './site.ts';
import { createStepper, type Stepper } from './stepper.ts';

/** A worker that processes one delivery at a time and stops at every gate; several stand for one that runs more. */
export interface Worker extends Pick<Stepper, 'getGate' | 'goOn' | 'fail'> {
  /** What it is at; undefined when it is at nothing. */
  readonly getKind: () => DeliveryKind | undefined;
  /** Runs the job of a delivery up to its first gate, as a queue would. */
  readonly runJob: (deliveryId: string) => Promise<void>;
  /** The same with what is due of a kind, as the due-runner does. */
  readonly runDue: (kind: DeliveryKind) => Promise<void>;
  /** Ends it like SIGKILL: it writes nothing more. */
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

/** The worker's services as in production, but that mail server and CRM take what the commands let them. */
function createServices(site: Site, database: Database, stepper: Stepper, progress: Progress): DeliveryServices {
  const { config, logger } = site;
  const { mailer, client } = createReceivers(stepper, progress);
  const followUp = createFollowUpHandler(database, mailer, {
    siteName: config.site.name,
    publicUrl: config.site.publicUrl,
    linkSecrets: config.linkSecrets,
    sales: config.mail.sales,
    timeZone: config.mail.timeZone,
    dueAfter: config.followUp.dueAfter,
  });
  const stopWhenClaimed =
    (handler: DeliveryHandler): DeliveryHandler =>
    async (delivery, signal) => {
      progress.begin(delivery);
      await stepper.stopAt('claimed');

      return handler(delivery, signal);
    };

  return {
    database,
    handlers: {
      'follow-up': stopWhenClaimed(followUp),
      'crm-export': stopWhenClaimed(createCrmExportHandler(database, config.crm, client)),
      newsletter: () => Promise.reject(new Error('The model has no subscriptions.')),
    },
    timings: productionTimings,
    logger,
  };
}

export function createWorker(site: Site, history: History): Worker {
  let isAlive = true;
  const database = makeMortal(site.database, () => isAlive);
  const stepper = createStepper();
  const progress = createProgress(site, history);
  const services = createServices(site, database, stepper, progress);
  const begin = (attempt: () => Promise<unknown>) => stepper.begin(() => attempt().finally(progress.end));

  return {
    getGate: stepper.getGate,
    getKind: () => progress.get()?.kind,
    goOn: stepper.goOn,
    fail: stepper.fail,
    runJob: (deliveryId) => begin(() => processDelivery(services, { deliveryId })),
    runDue: (kind) =>
      begin(async () => {
        const delivery = await claimNextDelivery(database, kind, 0, makeLease(productionTimings));
        if (delivery) await processClaimed(services, delivery);
      }),
    crash: async () => {
      isAlive = false;
      // Its promise ends with the error of whatever it asks the database next.
      if (stepper.getGate()) await stepper.fail(new Error('Crash.')).catch(() => undefined);
    },
  };
}
