import { catalogue } from '../../catalogue.ts'

/** Ad formats: their list, and a new one with its preview. */
export const t = catalogue({
  adFormats: 'Ad formats',
  about: 'The images and texts that banners are made of. A format cannot be changed.',
  newFormat: 'New ad format',
  none: 'No ad formats yet',
  noneHelp: 'Banners need one. It sets which images in which sizes, and which texts, they have.',
  delete: 'Delete',
  deleteNamed: 'Delete the ad format {name}',
  deleteQuestion: 'Delete the ad format {name}?',
  deleteHelp: 'Delete its ad units, technical ad units and campaigns first.',
  deleteFormat: 'Delete ad format',
  deleted: 'Ad format deleted',
  loading: 'Loading ad formats',
  textUpTo: '{text}: up to {max, plural, one {# character} other {# characters}}',
  requiredTextUpTo: '{text}: up to {max, plural, one {# character} other {# characters}}, required',
  requiredColor: '{text}: required',

  // A new one
  forShop: 'For {shop}',
  neverChanges: 'A format cannot be changed later',
  neverChangesHelp: 'Banners are made to fit it. To change it, create a new one and delete the old one.',
  create: 'Create ad format',
  created: 'Ad format created',
  preview: 'Preview',
  previewHelp: 'With sample texts, in true proportions',
  unnamed: 'New format',
  required: 'Required',
  format: 'Format',
  name: 'Name',
  nameHelp: 'Advertisers choose the format by this name, for example “Listing banner”.',
  images: 'Images',
  imagesHelp:
    'Each banner has all of these, in exactly these sizes, in pixels. An optional name such as “Desktop” tells them apart.',
  imageName: 'Image {number, number}, name',
  width: 'Width',
  height: 'Height',
  removeImage: 'Remove image {number, number}',
  addImage: 'Add an image',
  texts: 'Texts',
  textsHelp:
    'The texts that advertisers fill in. Types are in capitals, without spaces. CTA is the text of the button; a type that ends in _COLOR holds a colour.',
  textType: 'Text {number, number}, type',
  maxLength: 'Characters',
  removeText: 'Remove text {number, number}',
  addText: 'Add a text',

  // Samples
  sampleTITLE: 'Light for long evenings',
  sampleSUBTITLE: 'Lamps from 19 euros',
  sampleDESCRIPTION: 'Warm light for every room, delivered in two days',
  sampleCTA: 'See the lamps',
  sampleOther: 'Some words that the advertiser writes here',
})
