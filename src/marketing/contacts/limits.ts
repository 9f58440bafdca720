/** Maximum lengths in characters; keys must fit into an index entry. */
export const MAX_LENGTH = {
  external_id: 255,
  email: 254,
  phone: 64,
  first_name: 255,
  last_name: 255,
  source: 255,
} as const;
export const MAX_TAG_LENGTH = 100;

/** The maximum number of tags and properties of a contact. */
export const MAX_TAGS = 500;
export const MAX_PROPERTIES = 500;
