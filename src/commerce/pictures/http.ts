import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { PicturesService } from './service.ts';

export function pictureRoutes({ pictures }: { pictures: PicturesService }): Route[] {
  return [
    route(contract.uploadPicture, (call) => pictures.upload(call.caller, call.bytes)),
    route(contract.getPictureUsage, (call) => pictures.usage(call.caller.companyId)),
  ];
}
