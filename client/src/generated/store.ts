// Made by `npm run client` from the contracts of the running code. Do not edit.

export interface schemas {
  'Product': { id: number; name: string; slug: string; price: number; compare_at_price: number | null; price_max: number | null; in_stock: boolean | null; stock_qty: number | null; few_left: number | null; subscription_enabled: boolean; categories: (string)[]; images: ({ url: string; is_primary: boolean; alt?: string })[]; sku: string | null; barcode: string | null; weight_g: number | null; requires_shipping: boolean | null; has_variants: boolean; options: ({ name: string; value?: string; values?: (string)[] })[]; variant_of: number | null; title: string | null; position: number | null; custom: Record<string, unknown>; created_at: string; updated_at: string; description: string; variants?: ({ id: number; name: string; slug: string; price: number; compare_at_price: number | null; price_max: number | null; in_stock: boolean | null; stock_qty: number | null; few_left: number | null; subscription_enabled: boolean; categories: (string)[]; images: ({ url: string; is_primary: boolean; alt?: string })[]; sku: string | null; barcode: string | null; weight_g: number | null; requires_shipping: boolean | null; has_variants: boolean; options: ({ name: string; value?: string; values?: (string)[] })[]; variant_of: number | null; title: string | null; position: number | null; custom: Record<string, unknown>; created_at: string; updated_at: string })[] };
  'Collection': { id: number; slug: string; name: string; description: string; image: { url: string; alt: string } | null; custom: Record<string, unknown> };
  'Pagination': { page: number; per_page: number; total: number; total_pages: number };
  'Error': { success: false; error: { message: string; code: number; details: { reason: string; request_id: string; fields?: ({ field: string; code: string; message: string })[] } } };
}

export interface endpoints {
  /** Read the shop. */
  'GET /shop': { options: {  }; data: { name: string; currency: string; country: string; countries: (string)[]; prices_include_tax: boolean } };
  /** List products. */
  'GET /products': { options: { query?: { category?: string; collection?: string; search?: string; in_stock?: boolean; subscription_enabled?: boolean; price_min?: number; price_max?: number; [name: `option.${string}`]: string | number | boolean | undefined; [name: `custom.${string}`]: string | number | boolean | undefined; facets?: string; sort?: "newest" | "oldest" | "name_asc" | "name_desc" | "price_asc" | "price_desc" | "relevance"; page?: number; per_page?: number } }; data: (schemas['Product'])[]; item: schemas['Product'] };
  /** Read a product by id or slug. */
  'GET /products/{id}': { options: { path: { id: string } }; data: schemas['Product'] };
  /** List products bought together with a product. */
  'GET /products/{id}/related': { options: { path: { id: string }; query?: { limit?: number; page?: number; per_page?: number } }; data: (schemas['Product'])[]; item: schemas['Product'] };
  /** List collections. */
  'GET /collections': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['Collection'])[]; item: schemas['Collection'] };
  /** Read a collection by slug or id. */
  'GET /collections/{slug}': { options: { path: { slug: string } }; data: schemas['Collection'] };
  /** List categories. */
  'GET /categories': { options: { query?: { page?: number; per_page?: number } }; data: ({ slug: string; name: string; description: string })[]; item: { slug: string; name: string; description: string } };
  /** Suggest products, collections and categories. */
  'GET /suggest': { options: { query: { q: string } }; data: { products: ({ id: number; name: string; slug: string; price: number; compare_at_price: number | null; price_max: number | null; in_stock: boolean | null; image: string | null })[]; collections: ({ slug: string; name: string })[]; categories: ({ slug: string; name: string })[] } };
}
