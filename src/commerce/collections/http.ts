import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { CustomFieldsService } from '../custom-fields/service.ts';
import * as contract from './contract.ts';
import type { CollectionsService } from './service.ts';

interface CollectionRoutesDeps {
  collections: CollectionsService;
  customFields: CustomFieldsService;
}

export function collectionRoutes({ collections, customFields }: CollectionRoutesDeps): Route[] {
  return [
    route(contract.listCollections, (call) => collections.listCollections(call.caller.companyId, call.query), paged, {
      inOrder: ({ caller, query }) => collections.collectionsInOrder(caller.companyId, query),
      columns: ({ caller }) => customFields.customColumns(caller.companyId, ['collection']),
    }),
    route(contract.getCollection, (call) => collections.getCollection(call.caller.companyId, call.params.id)),
    route(contract.createCollection, (call) => collections.createCollection(call.caller, call.body)),
    route(contract.updateCollection, (call) =>
      collections.updateCollection(call.caller, call.params.id, call.body, call.ifMatch),
    ),
    route(contract.setCollectionProducts, (call) =>
      collections.setProducts(call.caller, call.params.id, call.body, call.ifMatch),
    ),
    route(contract.countCollectionRules, (call) => collections.countRules(call.caller, call.body)),
    route(contract.deleteCollection, (call) => collections.deleteCollection(call.caller, call.params.id)),
  ];
}
