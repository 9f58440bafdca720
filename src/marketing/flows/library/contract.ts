import Type from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Name, readDefaults, versionFields, writeDefaults } from '../schemas.ts';

export const listLibrary = {
  ...readDefaults,
  method: 'GET',
  path: '/flows/library',
  summary: 'List flows to begin with',
  data: Type.Object({
    library: Type.Array(Type.Object({ library_name: Type.String(), description: Type.String(), ...versionFields })),
  }),
} as const satisfies Endpoint;

export const createFromLibrary = {
  ...writeDefaults,
  method: 'POST',
  path: '/flows/from-library/{name}',
  summary: 'Make a draft from the library',
  params: Type.Object({ name: Type.String() }),
  body: Type.Object({ name: Type.Optional(Name) }),
  bodyOptional: true,
  status: 201,
} as const satisfies Endpoint;
