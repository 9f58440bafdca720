import { AppError } from '../../../errors.ts';

export const TRANSFER_STATUSES = ['draft', 'in_transit', 'received', 'cancelled'] as const;
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

export type TransferAction = 'change' | 'send' | 'receive' | 'cancel';

/** The statuses in which each action is possible. */
const FROM: Record<TransferAction, readonly TransferStatus[]> = {
  change: ['draft'],
  send: ['draft'],
  receive: ['in_transit'],
  cancel: ['draft', 'in_transit'],
};

/** What the action leads to; receiving leads to it as soon as nothing is open. */
const TO: Record<TransferAction, TransferStatus> = {
  change: 'draft',
  send: 'in_transit',
  receive: 'received',
  cancel: 'cancelled',
};

/** Throws invalid_status_transition. */
export function checkTransition(status: TransferStatus, action: TransferAction): void {
  if (FROM[action].includes(status)) return;
  const allowed = (Object.keys(FROM) as TransferAction[])
    .filter((one) => one !== 'change' && FROM[one].includes(status))
    .map((one) => TO[one]);
  const details = { from: status, to: TO[action], allowed };
  throw new AppError('invalid_status_transition', `A transfer that is ${status} cannot become ${TO[action]}`, details);
}

/** A line of a transfer. Before it is sent, the other numbers are 0. */
export interface TransferLine {
  product_id: number;
  qty: number;
  received: number;
  missing: number;
  returned: number;
}

/** Units that were sent and are still on their way. */
export function openQty({ qty, received, missing, returned }: TransferLine): number {
  return qty - received - missing - returned;
}
