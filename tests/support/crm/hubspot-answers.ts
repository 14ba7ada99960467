import { randomUUID } from 'node:crypto';
import { answerJson, Refusal, type CrmAnswer } from './fake-crm.ts';

/** One thing HubSpot found wrong with a value. */
export interface PropertyFault {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** HubSpot's error form. */
export function answerError(
  status: number,
  category: string,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): CrmAnswer {
  return answerJson(status, {
    status: 'error',
    message,
    correlationId: randomUUID(),
    category,
    ...more,
  });
}

export function refuse(...error: Parameters<typeof answerError>): never {
  throw new Refusal(answerError(...error));
}

/** A body HubSpot can't read. */
export function answerBadBody(reason: string, field: string): CrmAnswer {
  const message = `Invalid input JSON on line 1, column 1: ${reason}`;

  return answerError(400, 'VALIDATION_ERROR', message, {
    errors: [{ message: reason, in: field }],
  });
}

/** The text and the list HubSpot gives for values it refuses. */
export function describeFaults(faults: readonly PropertyFault[]): {
  message: string;
  errors: unknown[];
} {
  const list = faults.map(({ name, code, message }) => ({
    isValid: false,
    message,
    error: code,
    name,
  }));

  return {
    message: `Property values were not valid: ${JSON.stringify(list)}`,
    errors: faults.map(({ name, code, message }) => ({
      message,
      code,
      in: name,
      context: { propertyName: [name] },
    })),
  };
}
