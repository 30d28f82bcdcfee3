//! English words, frequent ones first in each list.

pub(super) const FUNCTION: &str = "\
    the of and to in a is that for it was on with as by at from this be are which or an not had but have \
    has their they its been were more when there who would what about some than into only other these \
    could after most also over because between before while where still through should very";

pub(super) const GENERAL: &str = "\
    people year time work number place part report group question week country problem point public \
    story week-end city idea result reason change way case morning family house month office letter \
    picture example street friend member council school name list side word local early long small large \
    new old next recent clear simple possible known open often together later almost several many few \
    said found made came began wrote asked called shows takes keeps means seems visited explained \
    returned decided remained";

pub(super) const TOPIC_NAMES: [&str; super::TOPICS] =
    ["climate", "economy", "football", "music", "history", "software", "cooking", "astronomy"];

pub(super) const TOPIC_WORDS: [&str; super::TOPICS] =
    [CLIMATE, ECONOMY, FOOTBALL, MUSIC, HISTORY, SOFTWARE, COOKING, ASTRONOMY];

const CLIMATE: &str = "\
    climate glacier warming carbon emissions temperature drought arctic flooding greenhouse methane \
    permafrost sea-level rainfall heatwave wildfire ozone meltwater weather precipitation monsoon \
    ice-sheet deforestation reforestation wetlands coral bleaching acidification biodiversity habitat \
    erosion renewables windfarm adaptation mitigation hurricane cyclone humidity anomaly baseline tundra \
    peatland albedo aerosol feedback decarbonisation footprint offset resilience storm-surge subsidence \
    evaporation snowpack icecap fossil coal biomass soil watershed reservoir aquifer desertification \
    pollen season frost thaw anthropogenic meteorologist barometer jetstream current upwelling plankton \
    estuary mangrove shoreline dyke lowlands";

const ECONOMY: &str = "\
    economy austerity bailout deficit inflation bank creditors debt bonds pension unemployment recession \
    treasury eurozone lending taxation budget minister parliament strike wages exports imports tariff \
    currency devaluation default haircut liquidity solvency stimulus growth productivity investment \
    investors shareholders dividend interest mortgage subsidy privatisation reform troika memorandum \
    coalition referendum yield spread rating downgrade speculation hedge derivative collateral \
    insolvency bankruptcy payroll surplus consumption retail manufacturing shipping tourism labour union \
    negotiation tranche loan guarantee auditor ledger monetary fiscal stagnation cutback levy rescue \
    stability";

const FOOTBALL: &str = "\
    football goal striker midfielder defender goalkeeper penalty referee league cup championship stadium \
    coach transfer derby offside corner header tackle pitch supporters relegation promotion qualifier \
    tournament squad captain substitute injury fixture kickoff half-time equaliser hat-trick crossbar \
    dribble pass winger sweeper counterattack formation scoreline shootout freekick throw-in whistle \
    yellowcard redcard dugout terrace matchday clubhouse academy scout contract signing trophy semifinal \
    quarterfinal knockout groupstage friendly touchline linesman assist rebound volley chip nutmeg \
    marking pressing possession turf jersey boots shinpads underdog replay";

const MUSIC: &str = "\
    music concert orchestra symphony violin piano melody harmony rhythm guitar album singer choir opera \
    jazz quartet sonata composer conductor rehearsal chord tempo soprano tenor baritone cello trumpet \
    saxophone clarinet flute oboe drummer percussion bassline chorus verse lyrics ballad folk blues \
    festival audience encore recording studio vinyl remix improvisation counterpoint fugue prelude \
    nocturne overture aria libretto cantata oratorio ensemble soloist virtuoso acoustics amplifier \
    keyboard synthesizer accordion mandolin harp bassoon timpani scale octave interval arpeggio \
    crescendo staccato legato playlist songwriter";

const HISTORY: &str = "\
    history empire medieval castle dynasty kingdom revolution treaty siege battle archive manuscript \
    chronicle monastery crusade nobility peasants feudal monarch throne coronation abdication regiment \
    cavalry infantry fortress armistice conquest colony exploration voyage galleon merchant guild plague \
    famine reformation renaissance enlightenment antiquity excavation artefact pottery inscription \
    papyrus pharaoh legion emperor senate republic aristocracy serfdom parchment heraldry genealogy \
    ancestor settlement bronze iron-age neolithic burial tomb relic cathedral bishop abbey inquisition \
    heresy charter constitution independence uprising exile restoration succession alliance envoy \
    historian";

const SOFTWARE: &str = "\
    software compiler database algorithm programming server kernel protocol browser encryption latency \
    cache thread debugger repository developer framework variable function recursion bytecode runtime \
    library interface parser syntax regression benchmark throughput deployment container cluster backup \
    filesystem bandwidth router firewall packet socket authentication password certificate vulnerability \
    patch release version branch commit merge refactoring unit-test integration scheduler process memory \
    pointer allocation garbage iterator closure generics inheritance polymorphism query schema \
    transaction replication sharding queue stream checksum hashing binary decimal terminal script plugin \
    open-source";

const COOKING: &str = "\
    recipe oven butter flour garlic onion olive simmer baking dough kitchen saucepan spices pepper basil \
    thyme rosemary parsley tomato lemon vinegar cream cheese sugar honey yeast bread pastry custard soup \
    stew roast grill marinade seasoning ingredients tablespoon teaspoon whisk knead chop slice saute \
    braise poach boil steam caramelise glaze broth stock noodles risotto pasta lentils chickpeas \
    aubergine courgette mushroom spinach cabbage carrot celery lamb chicken salmon shrimp anchovy \
    dessert chocolate vanilla cinnamon nutmeg-spice ginger saffron appetiser garnish leftovers";

const ASTRONOMY: &str = "\
    astronomy telescope galaxy planet orbit comet nebula asteroid supernova eclipse satellite \
    observatory spectrum constellation lunar solar meteor spacecraft gravity quasar pulsar exoplanet \
    redshift parallax magnitude luminosity photometry aperture refractor eyepiece zenith equinox \
    solstice perihelion aphelion crater regolith rings moonlet dwarf giant sunspot corona flare \
    heliosphere cosmic interstellar lightyear parsec singularity wormhole darkmatter inflationary \
    bigbang starlight twilight azimuth declination ecliptic transit occultation conjunction opposition \
    probe lander rover rocket launchpad astronaut spacewalk capsule trajectory flyby infrared \
    ultraviolet spectrograph stargazing cosmology";
