import { catalogue } from '../../catalogue.ts'

/** The algorithms of ad units, and the parameters of ad requests that they need or take. */
export const t = catalogue({
  BESTSELLERS: 'Bestsellers',
  BESTSELLERS_about: 'What sells best among the products that fit the page. For home pages and categories.',
  BESTSELLERS_WIDE: 'Bestsellers, wide',
  BESTSELLERS_WIDE_about:
    'What sells best. Price, brand, category paths and attributes do not narrow it. Looser: more products fit, less closely.',
  CONTEXT_MATCH: 'Context match',
  CONTEXT_MATCH_about:
    'Products with every word of the search phrase, or of the category. For search results and listings.',
  CONTEXT_MATCH_WIDE: 'Context match, wide',
  CONTEXT_MATCH_WIDE_about:
    'Products with at least one word of the search phrase; without a phrase or category, popular ones. Looser: more products fit, less closely.',
  SIMILAR_CATEGORIES_AND_TITLES: 'Similar titles and categories',
  SIMILAR_CATEGORIES_AND_TITLES_about: 'Products with a title like the one sent, in its categories. For product pages.',
  SIMILAR_CATEGORIES_AND_TITLES_WIDE: 'Similar titles and categories, wide',
  SIMILAR_CATEGORIES_AND_TITLES_WIDE_about:
    'Products of the same department that share a word with the title sent. Looser: more products fit, less closely.',
  SIMILAR_TITLES: 'Similar titles',
  SIMILAR_TITLES_about: 'Products with a title like the one sent. Categories only narrow it. For product pages.',
  SIMILAR_TITLES_WIDE: 'Similar titles, wide',
  SIMILAR_TITLES_WIDE_about: 'Products that share a word with the title sent. Looser: more products fit, less closely.',
  SIMILAR_CATEGORIES: 'Similar categories',
  SIMILAR_CATEGORIES_about:
    'Products of the categories sent. A title only ranks them. For categories and product pages.',
  SIMILAR_CATEGORIES_WIDE: 'Similar categories, wide',
  SIMILAR_CATEGORIES_WIDE_about:
    'Products of the same department as the categories sent. Looser: more products fit, less closely.',
  SIMILAR_PRODUCT_ID: 'Similar to a product',
  SIMILAR_PRODUCT_ID_about:
    'Products like one in the feed, by its title and categories. The page sends only that product’s ID.',
  SIMILAR_PRODUCT_ID_WIDE: 'Similar to a product, wide',
  SIMILAR_PRODUCT_ID_WIDE_about:
    'Products of the same department that share a word with the title of one in the feed. Looser: more products fit, less closely.',
  ALSO_BOUGHT: 'Also bought',
  ALSO_BOUGHT_about:
    'What shoppers who bought this product also bought; bestsellers while nobody has. For carts and product pages.',
  EXACT_PRODUCT_ID: 'Listed products',
  EXACT_PRODUCT_ID_about:
    'Exactly the products that the page lists, where a campaign promotes them. To mark offers in a listing.',
  DISPLAY: 'Banners',
  DISPLAY_about: 'Banners of campaigns that fit the page in every kind of targeting that they set.',
  DISPLAY_PHRASE_OR_CATEGORY: 'Banners by phrase or category',
  DISPLAY_PHRASE_OR_CATEGORY_about:
    'Banners of campaigns whose phrase or category fits the page: one of the two is enough.',

  required: 'Required',
  nothingRequired: 'Nothing but the ad unit',
  or: 'or',
  optional: 'Optional',

  searchData: 'Search phrase',
  searchDataHelp: 'For example: espresso machine',
  productTitle: 'Product title',
  productTitleHelp: 'For example: Espresso machine Barista 15 bar',
  categoryPaths: 'Category paths',
  categoryPathsHelp: 'Whole paths: Kitchen > Coffee. Press Enter after each.',
  categoryIds: 'Category nodes',
  categoryIdsHelp: 'Parts of a path, in order. Press Enter after each.',
  shopProductId: 'Product of the page',
  shopProductIdHelp: 'Its ID in the feed',
  productId: 'Reference product',
  productIdHelp: 'Its ID in the feed, or its product ID there',
  productIds: 'Products to show',
  productIdsHelp: 'IDs in the feed. Press Enter after each.',
  brand: 'Brand',
  brandHelp: 'As the feed writes it',
  priceMin: 'Price from',
  priceMinHelp: 'In the shop’s currency',
  priceMax: 'Price to',
  priceMaxHelp: 'In the shop’s currency',
  attributes: 'Attributes',
  attributesHelp: 'Name and value: color=red. Press Enter after each.',
  profiles: 'Audience profiles',
  profilesHelp: 'Press Enter after each.',
  referer: 'Page address',
  refererHelp: 'A path such as /garden/lamps. Targeting by domain does not match here.',
  country: 'Country',
  countryHelp: 'Two letters, for example DE',
  excludedShopProductIds: 'Products not to show',
  excludedShopProductIdsHelp: 'IDs in the feed. Press Enter after each.',
  adFormatIds: 'Ad formats',
  adFormatIdsHelp: 'Without any, all formats of the ad unit',
  lang: 'Language',
  langHelp: 'Two letters, for example de',
  currency: 'Currency',
  currencyHelp: 'Three letters, for example EUR',

  // Parameters that a display unit may count as targeting
  targetSearchData: 'The words that the shopper searched for',
  targetCategoryPaths: 'The category of the page, and those above it',
  targetBrand: 'The brand that the page is about',
  targetProductId: 'The product that the page is about',
  targetProfiles: 'What the shop knows of the shopper’s interests',
  targetReferer: 'The address of the page',
  category: 'Category',
  product: 'Product',
})
