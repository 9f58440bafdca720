import { type Route, route } from '../../../http/api/endpoint.ts';
import { paged } from '../../../lib/paging.ts';
import * as contract from './contract.ts';
import type { MediaService } from './service.ts';

export function mediaRoutes({ media }: { media: MediaService }): Route[] {
  return [
    route(contract.listMedia, (call) => media.listMedia(call.caller.companyId, call.query), paged),
    route(contract.getMedia, (call) => media.getMedia(call.caller.companyId, call.params.id)),
    route(contract.addMedia, ({ caller, body, bytes, query }) =>
      bytes.length === 0 ? media.addLink(caller, body) : media.addFile(caller, bytes, query.title),
    ),
    route(contract.updateMedia, (call) => media.updateMedia(call.caller, call.params.id, call.body, call.ifMatch)),
    route(contract.deleteMedia, (call) => media.deleteMedia(call.caller, call.params.id, call.query.force ?? false)),
  ];
}
