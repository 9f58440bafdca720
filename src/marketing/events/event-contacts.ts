import type { EventInput } from './event.ts';

/** The fields by which the contact of an event is found or created. */
export interface EventContact {
  email?: string | null;
  externalId?: string | null;
  phone?: string | null;
  firstName?: string;
  lastName?: string;
  source?: string;
}

export function contactOf({ data, source }: EventInput): EventContact {
  const text = (name: string): string | undefined => {
    const value = data[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    email: text('email'),
    externalId: text('customer_id'),
    phone: text('phone'),
    firstName: text('first_name'),
    lastName: text('last_name'),
    source,
  };
}
