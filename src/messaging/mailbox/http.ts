import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { MailboxService } from './service.ts';

export function mailboxRoutes({ mailbox }: { mailbox: MailboxService }): Route[] {
  return [
    route(contract.listMailbox, (call) => mailbox.listMailbox(call.caller.companyId, call.query), paged),
    route(contract.getLatestMailboxMessage, (call) =>
      mailbox.getLatestMailboxMessage(call.caller.companyId, call.query),
    ),
    route(contract.getMailboxMessage, (call) => mailbox.getMailboxMessage(call.caller.companyId, call.params.id)),
  ];
}
