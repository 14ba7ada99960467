import { randomUUID } from 'node:crypto';
import { respondJson, Refusal, type CrmResponse } from './fake-crm.ts';

/** One thing HubSpot found wrong with a value. */
export interface PropertyFault {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** HubSpot's error form. */
export function respondError(
  status: number,
  category: string,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): CrmResponse {
  return respondJson(status, {
    status: 'error',
    message,
    correlationId: randomUUID(),
    category,
    ...more,
  });
}

export function refuse(...error: Parameters<typeof respondError>): never {
  throw new Refusal(respondError(...error));
}

/** A body HubSpot can't read. */
export function respondBadBody(reason: string, field: string): CrmResponse {
  const message = `Invalid input JSON on line 1, column 1: ${reason}`;

  return respondError(400, 'VALIDATION_ERROR', message, {
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
