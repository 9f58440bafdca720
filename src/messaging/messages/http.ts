import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { Wake } from '../../work/worker-names.ts';
import * as contract from './contract.ts';
import type { MessageService } from './service.ts';

export function messageRoutes({ messages, wake }: { messages: MessageService; wake: Wake }): Route[] {
  return [
    route(contract.listMessages, (call) => messages.listMessages(call.caller.companyId, call.query), paged),
    route(contract.getMessage, (call) => messages.getMessage(call.caller.companyId, call.params.id)),
    route(contract.retryMessage, async (call) => {
      const message = await messages.retryMessage(call.caller, call.params.id);
      wake('sender');
      return message;
    }),
    route(contract.markMessageSent, (call) => messages.markMessageSent(call.caller, call.params.id)),
  ];
}
