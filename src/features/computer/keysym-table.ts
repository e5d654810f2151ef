/**
 * X11's keysyms, one entry each: its names, its value, and the code point of its character, both hexadecimal:
 * `Greek_ALPHA:7c1:391`. A value that is absent is one more than that of the entry before. A code point is
 * absent if the value gives it.
 *
 * Derived from keysymdef.h and XF86keysym.h of the X Window System (Copyright
 * 1987, 1994, 1998 The Open Group; Copyright 1987 Digital Equipment Corporation). Not to be edited by hand.
 */
export const KEYSYM_TABLE = `
VoidSymbol:ffffff BackSpace:ff08 Tab Linefeed Clear Return:ff0d Pause:ff13 Scroll_Lock Sys_Req Escape:ff1b
Delete:ffff Multi_key:ff20 Codeinput,Kanji_Bangou,Hangul_Codeinput:ff37
SingleCandidate,Hangul_SingleCandidate:ff3c MultipleCandidate,Zen_Koho,Hangul_MultipleCandidate
PreviousCandidate,Mae_Koho,Hangul_PreviousCandidate Kanji:ff21 Muhenkan Henkan_Mode,Henkan Romaji Hiragana
Katakana Hiragana_Katakana Zenkaku Hankaku Zenkaku_Hankaku Touroku Massyo Kana_Lock Kana_Shift Eisu_Shift
Eisu_toggle Home:ff50 Left Up Right Down Prior,Page_Up Next,Page_Down End Begin Select:ff60 Print Execute
Insert Undo:ff65 Redo Menu Find Cancel Help Break
Mode_switch,script_switch,ISO_Group_Shift,kana_switch,Arabic_switch,Greek_switch,Hebrew_switch,Hangul_switch:ff7e
Num_Lock KP_Space KP_Tab:ff89 KP_Enter:ff8d KP_F1:ff91 KP_F2 KP_F3 KP_F4 KP_Home KP_Left KP_Up KP_Right
KP_Down KP_Prior,KP_Page_Up KP_Next,KP_Page_Down KP_End KP_Begin KP_Insert KP_Delete KP_Equal:ffbd
KP_Multiply:ffaa KP_Add KP_Separator KP_Subtract KP_Decimal KP_Divide KP_0 KP_1 KP_2 KP_3 KP_4 KP_5 KP_6 KP_7
KP_8 KP_9 F1:ffbe F2 F3 F4 F5 F6 F7 F8 F9 F10 F11,L1 F12,L2 F13,L3 F14,L4 F15,L5 F16,L6 F17,L7 F18,L8 F19,L9
F20,L10 F21,R1 F22,R2 F23,R3 F24,R4 F25,R5 F26,R6 F27,R7 F28,R8 F29,R9 F30,R10 F31,R11 F32,R12 F33,R13 F34,R14
F35,R15 Shift_L Shift_R Control_L Control_R Caps_Lock Shift_Lock Meta_L Meta_R Alt_L Alt_R Super_L Super_R
Hyper_L Hyper_R ISO_Lock:fe01 ISO_Level2_Latch ISO_Level3_Shift ISO_Level3_Latch ISO_Level3_Lock
ISO_Level5_Shift:fe11 ISO_Level5_Latch ISO_Level5_Lock ISO_Group_Latch:fe06 ISO_Group_Lock ISO_Next_Group
ISO_Next_Group_Lock ISO_Prev_Group ISO_Prev_Group_Lock ISO_First_Group ISO_First_Group_Lock ISO_Last_Group
ISO_Last_Group_Lock ISO_Left_Tab:fe20 ISO_Move_Line_Up ISO_Move_Line_Down ISO_Partial_Line_Up
ISO_Partial_Line_Down ISO_Partial_Space_Left ISO_Partial_Space_Right ISO_Set_Margin_Left ISO_Set_Margin_Right
ISO_Release_Margin_Left ISO_Release_Margin_Right ISO_Release_Both_Margins ISO_Fast_Cursor_Left
ISO_Fast_Cursor_Right ISO_Fast_Cursor_Up ISO_Fast_Cursor_Down ISO_Continuous_Underline
ISO_Discontinuous_Underline ISO_Emphasize ISO_Center_Object ISO_Enter dead_grave:fe50 dead_acute
dead_circumflex dead_tilde,dead_perispomeni dead_macron dead_breve dead_abovedot dead_diaeresis dead_abovering
dead_doubleacute dead_caron dead_cedilla dead_ogonek dead_iota dead_voiced_sound dead_semivoiced_sound
dead_belowdot dead_hook dead_horn dead_stroke dead_abovecomma,dead_psili dead_abovereversedcomma,dead_dasia
dead_doublegrave dead_belowring dead_belowmacron dead_belowcircumflex dead_belowtilde dead_belowbreve
dead_belowdiaeresis dead_invertedbreve dead_belowcomma dead_currency dead_lowline:fe90 dead_aboveverticalline
dead_belowverticalline dead_longsolidusoverlay dead_a:fe80 dead_A dead_e dead_E dead_i dead_I dead_o dead_O
dead_u dead_U dead_small_schwa dead_capital_schwa dead_greek First_Virtual_Screen:fed0 Prev_Virtual_Screen
Next_Virtual_Screen Last_Virtual_Screen:fed4 Terminate_Server AccessX_Enable:fe70 AccessX_Feedback_Enable
RepeatKeys_Enable SlowKeys_Enable BounceKeys_Enable StickyKeys_Enable MouseKeys_Enable MouseKeys_Accel_Enable
Overlay1_Enable Overlay2_Enable AudibleBell_Enable Pointer_Left:fee0 Pointer_Right Pointer_Up Pointer_Down
Pointer_UpLeft Pointer_UpRight Pointer_DownLeft Pointer_DownRight Pointer_Button_Dflt Pointer_Button1
Pointer_Button2 Pointer_Button3 Pointer_Button4 Pointer_Button5 Pointer_DblClick_Dflt Pointer_DblClick1
Pointer_DblClick2 Pointer_DblClick3 Pointer_DblClick4 Pointer_DblClick5 Pointer_Drag_Dflt Pointer_Drag1
Pointer_Drag2 Pointer_Drag3 Pointer_Drag4 Pointer_Drag5:fefd Pointer_EnableKeys:fef9 Pointer_Accelerate
Pointer_DfltBtnNext Pointer_DfltBtnPrev ch:fea0 Ch CH c_h C_h C_H 3270_Duplicate:fd01 3270_FieldMark
3270_Right2 3270_Left2 3270_BackTab 3270_EraseEOF 3270_EraseInput 3270_Reset 3270_Quit 3270_PA1 3270_PA2
3270_PA3 3270_Test 3270_Attn 3270_CursorBlink 3270_AltCursor 3270_KeyClick 3270_Jump 3270_Ident 3270_Rule
3270_Copy 3270_Play 3270_Setup 3270_Record 3270_ChangeScreen 3270_DeleteWord 3270_ExSelect 3270_CursorSelect
3270_PrintScreen 3270_Enter space:20 exclam quotedbl numbersign dollar percent ampersand apostrophe,quoteright
parenleft parenright asterisk plus comma minus period slash 0 1 2 3 4 5 6 7 8 9 colon semicolon less equal
greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright
asciicircum underscore grave,quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar
braceright asciitilde nobreakspace:a0 exclamdown cent sterling currency yen brokenbar section diaeresis
copyright ordfeminine guillemotleft notsign hyphen registered macron degree plusminus twosuperior
threesuperior acute mu paragraph periodcentered cedilla onesuperior masculine guillemotright onequarter
onehalf threequarters questiondown Agrave Aacute Acircumflex Atilde Adiaeresis Aring AE Ccedilla Egrave Eacute
Ecircumflex Ediaeresis Igrave Iacute Icircumflex Idiaeresis ETH,Eth Ntilde Ograve Oacute Ocircumflex Otilde
Odiaeresis multiply Oslash,Ooblique Ugrave Uacute Ucircumflex Udiaeresis Yacute THORN,Thorn ssharp agrave
aacute acircumflex atilde adiaeresis aring ae ccedilla egrave eacute ecircumflex ediaeresis igrave iacute
icircumflex idiaeresis eth ntilde ograve oacute ocircumflex otilde odiaeresis division oslash,ooblique ugrave
uacute ucircumflex udiaeresis yacute thorn ydiaeresis Aogonek:1a1:104 breve::2d8 Lstroke::141 Lcaron:1a5:13d
Sacute::15a Scaron:1a9:160 Scedilla::15e Tcaron::164 Zacute::179 Zcaron:1ae:17d Zabovedot::17b aogonek:1b1:105
ogonek::2db lstroke::142 lcaron:1b5:13e sacute::15b caron::2c7 scaron:1b9:161 scedilla::15f tcaron::165
zacute::17a doubleacute::2dd zcaron::17e zabovedot::17c Racute::154 Abreve:1c3:102 Lacute:1c5:139 Cacute::106
Ccaron:1c8:10c Eogonek:1ca:118 Ecaron:1cc:11a Dcaron:1cf:10e Dstroke::110 Nacute::143 Ncaron::147
Odoubleacute:1d5:150 Rcaron:1d8:158 Uring::16e Udoubleacute:1db:170 Tcedilla:1de:162 racute:1e0:155
abreve:1e3:103 lacute:1e5:13a cacute::107 ccaron:1e8:10d eogonek:1ea:119 ecaron:1ec:11b dcaron:1ef:10f
dstroke::111 nacute::144 ncaron::148 odoubleacute:1f5:151 rcaron:1f8:159 uring::16f udoubleacute:1fb:171
tcedilla:1fe:163 abovedot::2d9 Hstroke:2a1:126 Hcircumflex:2a6:124 Iabovedot:2a9:130 Gbreve:2ab:11e
Jcircumflex::134 hstroke:2b1:127 hcircumflex:2b6:125 idotless:2b9:131 gbreve:2bb:11f jcircumflex::135
Cabovedot:2c5:10a Ccircumflex::108 Gabovedot:2d5:120 Gcircumflex:2d8:11c Ubreve:2dd:16c Scircumflex::15c
cabovedot:2e5:10b ccircumflex::109 gabovedot:2f5:121 gcircumflex:2f8:11d ubreve:2fd:16d scircumflex::15d
kra,kappa:3a2:138 Rcedilla::156 Itilde:3a5:128 Lcedilla::13b Emacron:3aa:112 Gcedilla::122 Tslash::166
rcedilla:3b3:157 itilde:3b5:129 lcedilla::13c emacron:3ba:113 gcedilla::123 tslash::167 ENG::14a eng:3bf:14b
Amacron::100 Iogonek:3c7:12e Eabovedot:3cc:116 Imacron:3cf:12a Ncedilla:3d1:145 Omacron::14c Kcedilla::136
Uogonek:3d9:172 Utilde:3dd:168 Umacron::16a amacron:3e0:101 iogonek:3e7:12f eabovedot:3ec:117 imacron:3ef:12b
ncedilla:3f1:146 omacron::14d kcedilla::137 uogonek:3f9:173 utilde:3fd:169 umacron::16b Wcircumflex:1000174
wcircumflex Ycircumflex ycircumflex Babovedot:1001e02 babovedot Dabovedot:1001e0a dabovedot Fabovedot:1001e1e
fabovedot Mabovedot:1001e40 mabovedot Pabovedot:1001e56 pabovedot Sabovedot:1001e60 sabovedot
Tabovedot:1001e6a tabovedot Wgrave:1001e80 wgrave Wacute wacute Wdiaeresis wdiaeresis Ygrave:1001ef2 ygrave
OE:13bc:152 oe::153 Ydiaeresis::178 overline:47e:203e kana_fullstop:4a1:3002 kana_openingbracket::300c
kana_closingbracket::300d kana_comma::3001 kana_conjunctive,kana_middledot::30fb kana_WO::30f2 kana_a::30a1
kana_i::30a3 kana_u::30a5 kana_e::30a7 kana_o::30a9 kana_ya::30e3 kana_yu::30e5 kana_yo::30e7
kana_tsu,kana_tu::30c3 prolongedsound::30fc kana_A::30a2 kana_I::30a4 kana_U::30a6 kana_E::30a8 kana_O::30aa
kana_KA::30ab kana_KI::30ad kana_KU::30af kana_KE::30b1 kana_KO::30b3 kana_SA::30b5 kana_SHI::30b7
kana_SU::30b9 kana_SE::30bb kana_SO::30bd kana_TA::30bf kana_CHI,kana_TI::30c1 kana_TSU,kana_TU::30c4
kana_TE::30c6 kana_TO::30c8 kana_NA::30ca kana_NI::30cb kana_NU::30cc kana_NE::30cd kana_NO::30ce
kana_HA::30cf kana_HI::30d2 kana_FU,kana_HU::30d5 kana_HE::30d8 kana_HO::30db kana_MA::30de kana_MI::30df
kana_MU::30e0 kana_ME::30e1 kana_MO::30e2 kana_YA::30e4 kana_YU::30e6 kana_YO::30e8 kana_RA::30e9
kana_RI::30ea kana_RU::30eb kana_RE::30ec kana_RO::30ed kana_WA::30ef kana_N::30f3 voicedsound::309b
semivoicedsound::309c Farsi_0:10006f0 Farsi_1 Farsi_2 Farsi_3 Farsi_4 Farsi_5 Farsi_6 Farsi_7 Farsi_8 Farsi_9
Arabic_percent:100066a Arabic_superscript_alef:1000670 Arabic_tteh:1000679 Arabic_peh:100067e
Arabic_tcheh:1000686 Arabic_ddal:1000688 Arabic_rreh:1000691 Arabic_comma:5ac:60c Arabic_fullstop:10006d4
Arabic_0:1000660 Arabic_1 Arabic_2 Arabic_3 Arabic_4 Arabic_5 Arabic_6 Arabic_7 Arabic_8 Arabic_9
Arabic_semicolon:5bb:61b Arabic_question_mark:5bf:61f Arabic_hamza:5c1:621 Arabic_maddaonalef::622
Arabic_hamzaonalef::623 Arabic_hamzaonwaw::624 Arabic_hamzaunderalef::625 Arabic_hamzaonyeh::626
Arabic_alef::627 Arabic_beh::628 Arabic_tehmarbuta::629 Arabic_teh::62a Arabic_theh::62b Arabic_jeem::62c
Arabic_hah::62d Arabic_khah::62e Arabic_dal::62f Arabic_thal::630 Arabic_ra::631 Arabic_zain::632
Arabic_seen::633 Arabic_sheen::634 Arabic_sad::635 Arabic_dad::636 Arabic_tah::637 Arabic_zah::638
Arabic_ain::639 Arabic_ghain::63a Arabic_tatweel:5e0:640 Arabic_feh::641 Arabic_qaf::642 Arabic_kaf::643
Arabic_lam::644 Arabic_meem::645 Arabic_noon::646 Arabic_ha,Arabic_heh::647 Arabic_waw::648
Arabic_alefmaksura::649 Arabic_yeh::64a Arabic_fathatan::64b Arabic_dammatan::64c Arabic_kasratan::64d
Arabic_fatha::64e Arabic_damma::64f Arabic_kasra::650 Arabic_shadda::651 Arabic_sukun::652
Arabic_madda_above:1000653 Arabic_hamza_above Arabic_hamza_below Arabic_jeh:1000698 Arabic_veh:10006a4
Arabic_keheh:10006a9 Arabic_gaf:10006af Arabic_noon_ghunna:10006ba Arabic_heh_doachashmee:10006be
Farsi_yeh,Arabic_farsi_yeh:10006cc Arabic_yeh_baree:10006d2 Arabic_heh_goal:10006c1 Cyrillic_GHE_bar:1000492
Cyrillic_ghe_bar Cyrillic_ZHE_descender:1000496 Cyrillic_zhe_descender Cyrillic_KA_descender:100049a
Cyrillic_ka_descender Cyrillic_KA_vertstroke Cyrillic_ka_vertstroke Cyrillic_EN_descender:10004a2
Cyrillic_en_descender Cyrillic_U_straight:10004ae Cyrillic_u_straight Cyrillic_U_straight_bar
Cyrillic_u_straight_bar Cyrillic_HA_descender Cyrillic_ha_descender Cyrillic_CHE_descender:10004b6
Cyrillic_che_descender Cyrillic_CHE_vertstroke Cyrillic_che_vertstroke Cyrillic_SHHA Cyrillic_shha
Cyrillic_SCHWA:10004d8 Cyrillic_schwa Cyrillic_I_macron:10004e2 Cyrillic_i_macron Cyrillic_O_bar:10004e8
Cyrillic_o_bar Cyrillic_U_macron:10004ee Cyrillic_u_macron Serbian_dje:6a1:452 Macedonia_gje::453
Cyrillic_io::451 Ukrainian_ie,Ukranian_je::454 Macedonia_dse::455 Ukrainian_i,Ukranian_i::456
Ukrainian_yi,Ukranian_yi::457 Cyrillic_je,Serbian_je::458 Cyrillic_lje,Serbian_lje::459
Cyrillic_nje,Serbian_nje::45a Serbian_tshe::45b Macedonia_kje::45c Ukrainian_ghe_with_upturn::491
Byelorussian_shortu::45e Cyrillic_dzhe,Serbian_dze::45f numerosign::2116 Serbian_DJE::402 Macedonia_GJE::403
Cyrillic_IO::401 Ukrainian_IE,Ukranian_JE::404 Macedonia_DSE::405 Ukrainian_I,Ukranian_I::406
Ukrainian_YI,Ukranian_YI::407 Cyrillic_JE,Serbian_JE::408 Cyrillic_LJE,Serbian_LJE::409
Cyrillic_NJE,Serbian_NJE::40a Serbian_TSHE::40b Macedonia_KJE::40c Ukrainian_GHE_WITH_UPTURN::490
Byelorussian_SHORTU::40e Cyrillic_DZHE,Serbian_DZE::40f Cyrillic_yu::44e Cyrillic_a::430 Cyrillic_be::431
Cyrillic_tse::446 Cyrillic_de::434 Cyrillic_ie::435 Cyrillic_ef::444 Cyrillic_ghe::433 Cyrillic_ha::445
Cyrillic_i::438 Cyrillic_shorti::439 Cyrillic_ka::43a Cyrillic_el::43b Cyrillic_em::43c Cyrillic_en::43d
Cyrillic_o::43e Cyrillic_pe::43f Cyrillic_ya::44f Cyrillic_er::440 Cyrillic_es::441 Cyrillic_te::442
Cyrillic_u::443 Cyrillic_zhe::436 Cyrillic_ve::432 Cyrillic_softsign::44c Cyrillic_yeru::44b Cyrillic_ze::437
Cyrillic_sha::448 Cyrillic_e::44d Cyrillic_shcha::449 Cyrillic_che::447 Cyrillic_hardsign::44a
Cyrillic_YU::42e Cyrillic_A::410 Cyrillic_BE::411 Cyrillic_TSE::426 Cyrillic_DE::414 Cyrillic_IE::415
Cyrillic_EF::424 Cyrillic_GHE::413 Cyrillic_HA::425 Cyrillic_I::418 Cyrillic_SHORTI::419 Cyrillic_KA::41a
Cyrillic_EL::41b Cyrillic_EM::41c Cyrillic_EN::41d Cyrillic_O::41e Cyrillic_PE::41f Cyrillic_YA::42f
Cyrillic_ER::420 Cyrillic_ES::421 Cyrillic_TE::422 Cyrillic_U::423 Cyrillic_ZHE::416 Cyrillic_VE::412
Cyrillic_SOFTSIGN::42c Cyrillic_YERU::42b Cyrillic_ZE::417 Cyrillic_SHA::428 Cyrillic_E::42d
Cyrillic_SHCHA::429 Cyrillic_CHE::427 Cyrillic_HARDSIGN::42a Greek_ALPHAaccent:7a1:386
Greek_EPSILONaccent::388 Greek_ETAaccent::389 Greek_IOTAaccent::38a
Greek_IOTAdieresis,Greek_IOTAdiaeresis::3aa Greek_OMICRONaccent:7a7:38c Greek_UPSILONaccent::38e
Greek_UPSILONdieresis::3ab Greek_OMEGAaccent:7ab:38f Greek_accentdieresis:7ae:385 Greek_horizbar::2015
Greek_alphaaccent:7b1:3ac Greek_epsilonaccent::3ad Greek_etaaccent::3ae Greek_iotaaccent::3af
Greek_iotadieresis::3ca Greek_iotaaccentdieresis::390 Greek_omicronaccent::3cc Greek_upsilonaccent::3cd
Greek_upsilondieresis::3cb Greek_upsilonaccentdieresis::3b0 Greek_omegaaccent::3ce Greek_ALPHA:7c1:391
Greek_BETA::392 Greek_GAMMA::393 Greek_DELTA::394 Greek_EPSILON::395 Greek_ZETA::396 Greek_ETA::397
Greek_THETA::398 Greek_IOTA::399 Greek_KAPPA::39a Greek_LAMDA,Greek_LAMBDA::39b Greek_MU::39c Greek_NU::39d
Greek_XI::39e Greek_OMICRON::39f Greek_PI::3a0 Greek_RHO::3a1 Greek_SIGMA::3a3 Greek_TAU:7d4:3a4
Greek_UPSILON::3a5 Greek_PHI::3a6 Greek_CHI::3a7 Greek_PSI::3a8 Greek_OMEGA::3a9 Greek_alpha:7e1:3b1
Greek_beta::3b2 Greek_gamma::3b3 Greek_delta::3b4 Greek_epsilon::3b5 Greek_zeta::3b6 Greek_eta::3b7
Greek_theta::3b8 Greek_iota::3b9 Greek_kappa::3ba Greek_lamda,Greek_lambda::3bb Greek_mu::3bc Greek_nu::3bd
Greek_xi::3be Greek_omicron::3bf Greek_pi::3c0 Greek_rho::3c1 Greek_sigma::3c3 Greek_finalsmallsigma::3c2
Greek_tau::3c4 Greek_upsilon::3c5 Greek_phi::3c6 Greek_chi::3c7 Greek_psi::3c8 Greek_omega::3c9
leftradical:8a1:23b7 topleftradical::250c horizconnector::2500 topintegral::2320 botintegral::2321
vertconnector::2502 topleftsqbracket::23a1 botleftsqbracket::23a3 toprightsqbracket::23a4
botrightsqbracket::23a6 topleftparens::239b botleftparens::239d toprightparens::239e botrightparens::23a0
leftmiddlecurlybrace::23a8 rightmiddlecurlybrace::23ac topleftsummation botleftsummation
topvertsummationconnector botvertsummationconnector toprightsummation botrightsummation rightmiddlesummation
lessthanequal:8bc:2264 notequal::2260 greaterthanequal::2265 integral::222b therefore::2234 variation::221d
infinity::221e nabla:8c5:2207 approximate:8c8:223c similarequal::2243 ifonlyif:8cd:21d4 implies::21d2
identical::2261 radical:8d6:221a includedin:8da:2282 includes::2283 intersection::2229 union::222a
logicaland::2227 logicalor::2228 partialderivative:8ef:2202 function:8f6:192 leftarrow:8fb:2190 uparrow::2191
rightarrow::2192 downarrow::2193 blank:9df soliddiamond::25c6 checkerboard::2592 ht::2409 ff::240c cr::240d
lf::240a nl:9e8:2424 vt::240b lowrightcorner::2518 uprightcorner::2510 upleftcorner::250c lowleftcorner::2514
crossinglines::253c horizlinescan1::23ba horizlinescan3::23bb horizlinescan5::2500 horizlinescan7::23bc
horizlinescan9::23bd leftt::251c rightt::2524 bott::2534 topt::252c vertbar::2502 emspace:aa1:2003
enspace::2002 em3space::2004 em4space::2005 digitspace::2007 punctspace::2008 thinspace::2009 hairspace::200a
emdash::2014 endash::2013 signifblank:aac:2423 ellipsis:aae:2026 doubbaselinedot::2025 onethird::2153
twothirds::2154 onefifth::2155 twofifths::2156 threefifths::2157 fourfifths::2158 onesixth::2159
fivesixths::215a careof::2105 figdash:abb:2012 leftanglebracket::2329 decimalpoint::2e rightanglebracket::232a
marker oneeighth:ac3:215b threeeighths::215c fiveeighths::215d seveneighths::215e trademark:ac9:2122
signaturemark::2613 trademarkincircle leftopentriangle::25c1 rightopentriangle::25b7 emopencircle::25cb
emopenrectangle::25af leftsinglequotemark::2018 rightsinglequotemark::2019 leftdoublequotemark::201c
rightdoublequotemark::201d prescription::211e permille::2030 minutes::2032 seconds::2033 latincross:ad9:271d
hexagram filledrectbullet::25ac filledlefttribullet::25c0 filledrighttribullet::25b6 emfilledcircle::25cf
emfilledrect::25ae enopencircbullet::25e6 enopensquarebullet::25ab openrectbullet::25ad opentribulletup::25b3
opentribulletdown::25bd openstar::2606 enfilledcircbullet::2022 enfilledsqbullet::25aa filledtribulletup::25b2
filledtribulletdown::25bc leftpointer::261c rightpointer::261e club::2663 diamond::2666 heart::2665
maltesecross:af0:2720 dagger::2020 doubledagger::2021 checkmark::2713 ballotcross::2717 musicalsharp::266f
musicalflat::266d malesymbol::2642 femalesymbol::2640 telephone::260e telephonerecorder::2315
phonographcopyright::2117 caret::2038 singlelowquotemark::201a doublelowquotemark::201e cursor
leftcaret:ba3:3c rightcaret:ba6:3e downcaret:ba8:2228 upcaret::2227 overbar:bc0:af downtack:bc2:22a4
upshoe::2229 downstile::230a underbar:bc6:5f jot:bca:2218 quad:bcc:2395 uptack:bce:22a5 circle::25cb
upstile:bd3:2308 downshoe:bd6:222a rightshoe:bd8:2283 leftshoe:bda:2282 lefttack:bdc:22a3 righttack:bfc:22a2
hebrew_doublelowline:cdf:2017 hebrew_aleph::5d0 hebrew_bet,hebrew_beth::5d1 hebrew_gimel,hebrew_gimmel::5d2
hebrew_dalet,hebrew_daleth::5d3 hebrew_he::5d4 hebrew_waw::5d5 hebrew_zain,hebrew_zayin::5d6
hebrew_chet,hebrew_het::5d7 hebrew_tet,hebrew_teth::5d8 hebrew_yod::5d9 hebrew_finalkaph::5da hebrew_kaph::5db
hebrew_lamed::5dc hebrew_finalmem::5dd hebrew_mem::5de hebrew_finalnun::5df hebrew_nun::5e0
hebrew_samech,hebrew_samekh::5e1 hebrew_ayin::5e2 hebrew_finalpe::5e3 hebrew_pe::5e4
hebrew_finalzade,hebrew_finalzadi::5e5 hebrew_zade,hebrew_zadi::5e6 hebrew_qoph,hebrew_kuf::5e7
hebrew_resh::5e8 hebrew_shin::5e9 hebrew_taw,hebrew_taf::5ea Thai_kokai:da1:e01 Thai_khokhai::e02
Thai_khokhuat::e03 Thai_khokhwai::e04 Thai_khokhon::e05 Thai_khorakhang::e06 Thai_ngongu::e07
Thai_chochan::e08 Thai_choching::e09 Thai_chochang::e0a Thai_soso::e0b Thai_chochoe::e0c Thai_yoying::e0d
Thai_dochada::e0e Thai_topatak::e0f Thai_thothan::e10 Thai_thonangmontho::e11 Thai_thophuthao::e12
Thai_nonen::e13 Thai_dodek::e14 Thai_totao::e15 Thai_thothung::e16 Thai_thothahan::e17 Thai_thothong::e18
Thai_nonu::e19 Thai_bobaimai::e1a Thai_popla::e1b Thai_phophung::e1c Thai_fofa::e1d Thai_phophan::e1e
Thai_fofan::e1f Thai_phosamphao::e20 Thai_moma::e21 Thai_yoyak::e22 Thai_rorua::e23 Thai_ru::e24
Thai_loling::e25 Thai_lu::e26 Thai_wowaen::e27 Thai_sosala::e28 Thai_sorusi::e29 Thai_sosua::e2a
Thai_hohip::e2b Thai_lochula::e2c Thai_oang::e2d Thai_honokhuk::e2e Thai_paiyannoi::e2f Thai_saraa::e30
Thai_maihanakat::e31 Thai_saraaa::e32 Thai_saraam::e33 Thai_sarai::e34 Thai_saraii::e35 Thai_saraue::e36
Thai_sarauee::e37 Thai_sarau::e38 Thai_sarauu::e39 Thai_phinthu::e3a Thai_maihanakat_maitho:dde Thai_baht::e3f
Thai_sarae::e40 Thai_saraae::e41 Thai_sarao::e42 Thai_saraaimaimuan::e43 Thai_saraaimaimalai::e44
Thai_lakkhangyao::e45 Thai_maiyamok::e46 Thai_maitaikhu::e47 Thai_maiek::e48 Thai_maitho::e49 Thai_maitri::e4a
Thai_maichattawa::e4b Thai_thanthakhat::e4c Thai_nikhahit::e4d Thai_leksun:df0:e50 Thai_leknung::e51
Thai_leksong::e52 Thai_leksam::e53 Thai_leksi::e54 Thai_lekha::e55 Thai_lekhok::e56 Thai_lekchet::e57
Thai_lekpaet::e58 Thai_lekkao::e59 Hangul:ff31 Hangul_Start Hangul_End Hangul_Hanja Hangul_Jamo Hangul_Romaja
Hangul_Jeonja:ff38 Hangul_Banja Hangul_PreHanja Hangul_PostHanja Hangul_Special:ff3f Hangul_Kiyeog:ea1:3131
Hangul_SsangKiyeog::3132 Hangul_KiyeogSios::3133 Hangul_Nieun::3134 Hangul_NieunJieuj::3135
Hangul_NieunHieuh::3136 Hangul_Dikeud::3137 Hangul_SsangDikeud::3138 Hangul_Rieul::3139
Hangul_RieulKiyeog::313a Hangul_RieulMieum::313b Hangul_RieulPieub::313c Hangul_RieulSios::313d
Hangul_RieulTieut::313e Hangul_RieulPhieuf::313f Hangul_RieulHieuh::3140 Hangul_Mieum::3141 Hangul_Pieub::3142
Hangul_SsangPieub::3143 Hangul_PieubSios::3144 Hangul_Sios::3145 Hangul_SsangSios::3146 Hangul_Ieung::3147
Hangul_Jieuj::3148 Hangul_SsangJieuj::3149 Hangul_Cieuc::314a Hangul_Khieuq::314b Hangul_Tieut::314c
Hangul_Phieuf::314d Hangul_Hieuh::314e Hangul_A::314f Hangul_AE::3150 Hangul_YA::3151 Hangul_YAE::3152
Hangul_EO::3153 Hangul_E::3154 Hangul_YEO::3155 Hangul_YE::3156 Hangul_O::3157 Hangul_WA::3158
Hangul_WAE::3159 Hangul_OE::315a Hangul_YO::315b Hangul_U::315c Hangul_WEO::315d Hangul_WE::315e
Hangul_WI::315f Hangul_YU::3160 Hangul_EU::3161 Hangul_YI::3162 Hangul_I::3163 Hangul_J_Kiyeog::11a8
Hangul_J_SsangKiyeog::11a9 Hangul_J_KiyeogSios::11aa Hangul_J_Nieun::11ab Hangul_J_NieunJieuj::11ac
Hangul_J_NieunHieuh::11ad Hangul_J_Dikeud::11ae Hangul_J_Rieul::11af Hangul_J_RieulKiyeog::11b0
Hangul_J_RieulMieum::11b1 Hangul_J_RieulPieub::11b2 Hangul_J_RieulSios::11b3 Hangul_J_RieulTieut::11b4
Hangul_J_RieulPhieuf::11b5 Hangul_J_RieulHieuh::11b6 Hangul_J_Mieum::11b7 Hangul_J_Pieub::11b8
Hangul_J_PieubSios::11b9 Hangul_J_Sios::11ba Hangul_J_SsangSios::11bb Hangul_J_Ieung::11bc
Hangul_J_Jieuj::11bd Hangul_J_Cieuc::11be Hangul_J_Khieuq::11bf Hangul_J_Tieut::11c0 Hangul_J_Phieuf::11c1
Hangul_J_Hieuh::11c2 Hangul_RieulYeorinHieuh::316d Hangul_SunkyeongeumMieum::3171
Hangul_SunkyeongeumPieub::3178 Hangul_PanSios::317f Hangul_KkogjiDalrinIeung::3181
Hangul_SunkyeongeumPhieuf::3184 Hangul_YeorinHieuh::3186 Hangul_AraeA::318d Hangul_AraeAE::318e
Hangul_J_PanSios::11eb Hangul_J_KkogjiDalrinIeung::11f0 Hangul_J_YeorinHieuh::11f9 Korean_Won:eff:20a9
Armenian_ligature_ew:1000587 Armenian_full_stop,Armenian_verjaket:1000589
Armenian_separation_mark,Armenian_but:100055d Armenian_hyphen,Armenian_yentamna:100058a
Armenian_exclam,Armenian_amanak:100055c Armenian_accent,Armenian_shesht:100055b
Armenian_question,Armenian_paruyk:100055e Armenian_AYB:1000531 Armenian_ayb:1000561 Armenian_BEN:1000532
Armenian_ben:1000562 Armenian_GIM:1000533 Armenian_gim:1000563 Armenian_DA:1000534 Armenian_da:1000564
Armenian_YECH:1000535 Armenian_yech:1000565 Armenian_ZA:1000536 Armenian_za:1000566 Armenian_E:1000537
Armenian_e:1000567 Armenian_AT:1000538 Armenian_at:1000568 Armenian_TO:1000539 Armenian_to:1000569
Armenian_ZHE:100053a Armenian_zhe:100056a Armenian_INI:100053b Armenian_ini:100056b Armenian_LYUN:100053c
Armenian_lyun:100056c Armenian_KHE:100053d Armenian_khe:100056d Armenian_TSA:100053e Armenian_tsa:100056e
Armenian_KEN:100053f Armenian_ken:100056f Armenian_HO:1000540 Armenian_ho:1000570 Armenian_DZA:1000541
Armenian_dza:1000571 Armenian_GHAT:1000542 Armenian_ghat:1000572 Armenian_TCHE:1000543 Armenian_tche:1000573
Armenian_MEN:1000544 Armenian_men:1000574 Armenian_HI:1000545 Armenian_hi:1000575 Armenian_NU:1000546
Armenian_nu:1000576 Armenian_SHA:1000547 Armenian_sha:1000577 Armenian_VO:1000548 Armenian_vo:1000578
Armenian_CHA:1000549 Armenian_cha:1000579 Armenian_PE:100054a Armenian_pe:100057a Armenian_JE:100054b
Armenian_je:100057b Armenian_RA:100054c Armenian_ra:100057c Armenian_SE:100054d Armenian_se:100057d
Armenian_VEV:100054e Armenian_vev:100057e Armenian_TYUN:100054f Armenian_tyun:100057f Armenian_RE:1000550
Armenian_re:1000580 Armenian_TSO:1000551 Armenian_tso:1000581 Armenian_VYUN:1000552 Armenian_vyun:1000582
Armenian_PYUR:1000553 Armenian_pyur:1000583 Armenian_KE:1000554 Armenian_ke:1000584 Armenian_O:1000555
Armenian_o:1000585 Armenian_FE:1000556 Armenian_fe:1000586 Armenian_apostrophe:100055a Georgian_an:10010d0
Georgian_ban Georgian_gan Georgian_don Georgian_en Georgian_vin Georgian_zen Georgian_tan Georgian_in
Georgian_kan Georgian_las Georgian_man Georgian_nar Georgian_on Georgian_par Georgian_zhar Georgian_rae
Georgian_san Georgian_tar Georgian_un Georgian_phar Georgian_khar Georgian_ghan Georgian_qar Georgian_shin
Georgian_chin Georgian_can Georgian_jil Georgian_cil Georgian_char Georgian_xan Georgian_jhan Georgian_hae
Georgian_he Georgian_hie Georgian_we Georgian_har Georgian_hoe Georgian_fi Xabovedot:1001e8a Ibreve:100012c
Zstroke:10001b5 Gcaron:10001e6 Ocaron:10001d1 Obarred:100019f xabovedot:1001e8b ibreve:100012d zstroke:10001b6
gcaron:10001e7 ocaron:10001d2 obarred:1000275 SCHWA:100018f schwa:1000259 EZH:10001b7 ezh:1000292
Lbelowdot:1001e36 lbelowdot Abelowdot:1001ea0 abelowdot Ahook ahook Acircumflexacute acircumflexacute
Acircumflexgrave acircumflexgrave Acircumflexhook acircumflexhook Acircumflextilde acircumflextilde
Acircumflexbelowdot acircumflexbelowdot Abreveacute abreveacute Abrevegrave abrevegrave Abrevehook abrevehook
Abrevetilde abrevetilde Abrevebelowdot abrevebelowdot Ebelowdot ebelowdot Ehook ehook Etilde etilde
Ecircumflexacute ecircumflexacute Ecircumflexgrave ecircumflexgrave Ecircumflexhook ecircumflexhook
Ecircumflextilde ecircumflextilde Ecircumflexbelowdot ecircumflexbelowdot Ihook ihook Ibelowdot ibelowdot
Obelowdot obelowdot Ohook ohook Ocircumflexacute ocircumflexacute Ocircumflexgrave ocircumflexgrave
Ocircumflexhook ocircumflexhook Ocircumflextilde ocircumflextilde Ocircumflexbelowdot ocircumflexbelowdot
Ohornacute ohornacute Ohorngrave ohorngrave Ohornhook ohornhook Ohorntilde ohorntilde Ohornbelowdot
ohornbelowdot Ubelowdot ubelowdot Uhook uhook Uhornacute uhornacute Uhorngrave uhorngrave Uhornhook uhornhook
Uhorntilde uhorntilde Uhornbelowdot uhornbelowdot Ybelowdot:1001ef4 ybelowdot Yhook yhook Ytilde ytilde
Ohorn:10001a0 ohorn Uhorn:10001af uhorn combining_tilde:1000303 combining_grave:1000300 combining_acute
combining_hook:1000309 combining_belowdot:1000323 EcuSign:10020a0 ColonSign CruzeiroSign FFrancSign LiraSign
MillSign NairaSign PesetaSign RupeeSign WonSign NewSheqelSign DongSign EuroSign:20ac:20ac zerosuperior:1002070
foursuperior:1002074 fivesuperior sixsuperior sevensuperior eightsuperior ninesuperior zerosubscript:1002080
onesubscript twosubscript threesubscript foursubscript fivesubscript sixsubscript sevensubscript
eightsubscript ninesubscript partdifferential:1002202 emptyset:1002205 elementof:1002208 notelementof
containsas:100220b squareroot:100221a cuberoot fourthroot dintegral:100222c tintegral because:1002235
approxeq:1002248 notapproxeq:1002247 notidentical:1002262 stricteq braille_dot_1:fff1 braille_dot_2
braille_dot_3 braille_dot_4 braille_dot_5 braille_dot_6 braille_dot_7 braille_dot_8 braille_dot_9
braille_dot_10 braille_blank:1002800 braille_dots_1 braille_dots_2 braille_dots_12 braille_dots_3
braille_dots_13 braille_dots_23 braille_dots_123 braille_dots_4 braille_dots_14 braille_dots_24
braille_dots_124 braille_dots_34 braille_dots_134 braille_dots_234 braille_dots_1234 braille_dots_5
braille_dots_15 braille_dots_25 braille_dots_125 braille_dots_35 braille_dots_135 braille_dots_235
braille_dots_1235 braille_dots_45 braille_dots_145 braille_dots_245 braille_dots_1245 braille_dots_345
braille_dots_1345 braille_dots_2345 braille_dots_12345 braille_dots_6 braille_dots_16 braille_dots_26
braille_dots_126 braille_dots_36 braille_dots_136 braille_dots_236 braille_dots_1236 braille_dots_46
braille_dots_146 braille_dots_246 braille_dots_1246 braille_dots_346 braille_dots_1346 braille_dots_2346
braille_dots_12346 braille_dots_56 braille_dots_156 braille_dots_256 braille_dots_1256 braille_dots_356
braille_dots_1356 braille_dots_2356 braille_dots_12356 braille_dots_456 braille_dots_1456 braille_dots_2456
braille_dots_12456 braille_dots_3456 braille_dots_13456 braille_dots_23456 braille_dots_123456 braille_dots_7
braille_dots_17 braille_dots_27 braille_dots_127 braille_dots_37 braille_dots_137 braille_dots_237
braille_dots_1237 braille_dots_47 braille_dots_147 braille_dots_247 braille_dots_1247 braille_dots_347
braille_dots_1347 braille_dots_2347 braille_dots_12347 braille_dots_57 braille_dots_157 braille_dots_257
braille_dots_1257 braille_dots_357 braille_dots_1357 braille_dots_2357 braille_dots_12357 braille_dots_457
braille_dots_1457 braille_dots_2457 braille_dots_12457 braille_dots_3457 braille_dots_13457 braille_dots_23457
braille_dots_123457 braille_dots_67 braille_dots_167 braille_dots_267 braille_dots_1267 braille_dots_367
braille_dots_1367 braille_dots_2367 braille_dots_12367 braille_dots_467 braille_dots_1467 braille_dots_2467
braille_dots_12467 braille_dots_3467 braille_dots_13467 braille_dots_23467 braille_dots_123467
braille_dots_567 braille_dots_1567 braille_dots_2567 braille_dots_12567 braille_dots_3567 braille_dots_13567
braille_dots_23567 braille_dots_123567 braille_dots_4567 braille_dots_14567 braille_dots_24567
braille_dots_124567 braille_dots_34567 braille_dots_134567 braille_dots_234567 braille_dots_1234567
braille_dots_8 braille_dots_18 braille_dots_28 braille_dots_128 braille_dots_38 braille_dots_138
braille_dots_238 braille_dots_1238 braille_dots_48 braille_dots_148 braille_dots_248 braille_dots_1248
braille_dots_348 braille_dots_1348 braille_dots_2348 braille_dots_12348 braille_dots_58 braille_dots_158
braille_dots_258 braille_dots_1258 braille_dots_358 braille_dots_1358 braille_dots_2358 braille_dots_12358
braille_dots_458 braille_dots_1458 braille_dots_2458 braille_dots_12458 braille_dots_3458 braille_dots_13458
braille_dots_23458 braille_dots_123458 braille_dots_68 braille_dots_168 braille_dots_268 braille_dots_1268
braille_dots_368 braille_dots_1368 braille_dots_2368 braille_dots_12368 braille_dots_468 braille_dots_1468
braille_dots_2468 braille_dots_12468 braille_dots_3468 braille_dots_13468 braille_dots_23468
braille_dots_123468 braille_dots_568 braille_dots_1568 braille_dots_2568 braille_dots_12568 braille_dots_3568
braille_dots_13568 braille_dots_23568 braille_dots_123568 braille_dots_4568 braille_dots_14568
braille_dots_24568 braille_dots_124568 braille_dots_34568 braille_dots_134568 braille_dots_234568
braille_dots_1234568 braille_dots_78 braille_dots_178 braille_dots_278 braille_dots_1278 braille_dots_378
braille_dots_1378 braille_dots_2378 braille_dots_12378 braille_dots_478 braille_dots_1478 braille_dots_2478
braille_dots_12478 braille_dots_3478 braille_dots_13478 braille_dots_23478 braille_dots_123478
braille_dots_578 braille_dots_1578 braille_dots_2578 braille_dots_12578 braille_dots_3578 braille_dots_13578
braille_dots_23578 braille_dots_123578 braille_dots_4578 braille_dots_14578 braille_dots_24578
braille_dots_124578 braille_dots_34578 braille_dots_134578 braille_dots_234578 braille_dots_1234578
braille_dots_678 braille_dots_1678 braille_dots_2678 braille_dots_12678 braille_dots_3678 braille_dots_13678
braille_dots_23678 braille_dots_123678 braille_dots_4678 braille_dots_14678 braille_dots_24678
braille_dots_124678 braille_dots_34678 braille_dots_134678 braille_dots_234678 braille_dots_1234678
braille_dots_5678 braille_dots_15678 braille_dots_25678 braille_dots_125678 braille_dots_35678
braille_dots_135678 braille_dots_235678 braille_dots_1235678 braille_dots_45678 braille_dots_145678
braille_dots_245678 braille_dots_1245678 braille_dots_345678 braille_dots_1345678 braille_dots_2345678
braille_dots_12345678 Sinh_ng:1000d82 Sinh_h2 Sinh_a:1000d85 Sinh_aa Sinh_ae Sinh_aee Sinh_i Sinh_ii Sinh_u
Sinh_uu Sinh_ri Sinh_rii Sinh_lu Sinh_luu Sinh_e Sinh_ee Sinh_ai Sinh_o Sinh_oo Sinh_au Sinh_ka:1000d9a
Sinh_kha Sinh_ga Sinh_gha Sinh_ng2 Sinh_nga Sinh_ca Sinh_cha Sinh_ja Sinh_jha Sinh_nya Sinh_jnya Sinh_nja
Sinh_tta Sinh_ttha Sinh_dda Sinh_ddha Sinh_nna Sinh_ndda Sinh_tha Sinh_thha Sinh_dha Sinh_dhha Sinh_na
Sinh_ndha:1000db3 Sinh_pa Sinh_pha Sinh_ba Sinh_bha Sinh_ma Sinh_mba Sinh_ya Sinh_ra Sinh_la:1000dbd
Sinh_va:1000dc0 Sinh_sha Sinh_ssha Sinh_sa Sinh_ha Sinh_lla Sinh_fa Sinh_al:1000dca Sinh_aa2:1000dcf Sinh_ae2
Sinh_aee2 Sinh_i2 Sinh_ii2 Sinh_u2 Sinh_uu2:1000dd6 Sinh_ru2:1000dd8 Sinh_e2 Sinh_ee2 Sinh_ai2 Sinh_o2
Sinh_oo2 Sinh_au2 Sinh_lu2 Sinh_ruu2:1000df2 Sinh_luu2 Sinh_kunddaliya XF86ModeLock:1008ff01
XF86MonBrightnessUp XF86MonBrightnessDown XF86KbdLightOnOff XF86KbdBrightnessUp XF86KbdBrightnessDown
XF86MonBrightnessCycle XF86Standby:1008ff10 XF86AudioLowerVolume XF86AudioMute XF86AudioRaiseVolume
XF86AudioPlay XF86AudioStop XF86AudioPrev XF86AudioNext XF86HomePage XF86Mail XF86Start XF86Search
XF86AudioRecord XF86Calculator XF86Memo XF86ToDoList XF86Calendar XF86PowerDown XF86ContrastAdjust
XF86RockerUp XF86RockerDown XF86RockerEnter XF86Back XF86Forward XF86Stop XF86Refresh XF86PowerOff XF86WakeUp
XF86Eject XF86ScreenSaver XF86WWW XF86Sleep XF86Favorites XF86AudioPause XF86AudioMedia XF86MyComputer
XF86VendorHome XF86LightBulb XF86Shop XF86History XF86OpenURL XF86AddFavorite XF86HotLinks
XF86BrightnessAdjust XF86Finance XF86Community XF86AudioRewind XF86BackForward XF86Launch0 XF86Launch1
XF86Launch2 XF86Launch3 XF86Launch4 XF86Launch5 XF86Launch6 XF86Launch7 XF86Launch8 XF86Launch9 XF86LaunchA
XF86LaunchB XF86LaunchC XF86LaunchD XF86LaunchE XF86LaunchF XF86ApplicationLeft XF86ApplicationRight XF86Book
XF86CD XF86Calculater XF86Clear XF86Close XF86Copy XF86Cut XF86Display XF86DOS XF86Documents XF86Excel
XF86Explorer XF86Game XF86Go XF86iTouch XF86LogOff XF86Market XF86Meeting XF86MenuKB:1008ff65 XF86MenuPB
XF86MySites XF86New XF86News XF86OfficeHome XF86Open XF86Option XF86Paste XF86Phone XF86Q:1008ff70
XF86Reply:1008ff72 XF86Reload XF86RotateWindows XF86RotationPB XF86RotationKB XF86Save XF86ScrollUp
XF86ScrollDown XF86ScrollClick XF86Send XF86Spell XF86SplitScreen XF86Support XF86TaskPane XF86Terminal
XF86Tools XF86Travel XF86UserPB:1008ff84 XF86User1KB XF86User2KB XF86Video XF86WheelButton XF86Word XF86Xfer
XF86ZoomIn XF86ZoomOut XF86Away XF86Messenger XF86WebCam XF86MailForward XF86Pictures XF86Music XF86Battery
XF86Bluetooth XF86WLAN XF86UWB XF86AudioForward XF86AudioRepeat XF86AudioRandomPlay XF86Subtitle
XF86AudioCycleTrack XF86CycleAngle XF86FrameBack XF86FrameForward XF86Time XF86Select XF86View XF86TopMenu
XF86Red XF86Green XF86Yellow XF86Blue XF86Suspend XF86Hibernate XF86TouchpadToggle XF86TouchpadOn:1008ffb0
XF86TouchpadOff XF86AudioMicMute XF86Keyboard XF86WWAN XF86RFKill XF86AudioPreset XF86RotationLockToggle
XF86FullScreen XF86Switch_VT_1:1008fe01 XF86Switch_VT_2 XF86Switch_VT_3 XF86Switch_VT_4 XF86Switch_VT_5
XF86Switch_VT_6 XF86Switch_VT_7 XF86Switch_VT_8 XF86Switch_VT_9 XF86Switch_VT_10 XF86Switch_VT_11
XF86Switch_VT_12 XF86Ungrab:1008fe20 XF86ClearGrab XF86Next_VMode XF86Prev_VMode XF86LogWindowTree
XF86LogGrabInfo XF86BrightnessAuto:100810f4 XF86DisplayOff XF86Info:10081166 XF86AspectRatio:10081177
XF86DVD:10081185 XF86Audio:10081188 XF86ChannelUp:10081192 XF86ChannelDown XF86Break:1008119b
XF86VideoPhone:100811a0 XF86ZoomReset:100811a4 XF86Editor:100811a6 XF86GraphicsEditor:100811a8
XF86Presentation XF86Database XF86Voicemail:100811ac XF86Addressbook XF86DisplayToggle:100811af XF86SpellCheck
XF86ContextMenu:100811b6 XF86MediaRepeat XF8610ChannelsUp XF8610ChannelsDown XF86Images
XF86NotificationCenter:100811bc XF86PickupPhone XF86HangupPhone XF86Fn:100811d0 XF86Fn_Esc
XF86FnRightShift:100811e5 XF86Numeric0:10081200 XF86Numeric1 XF86Numeric2 XF86Numeric3 XF86Numeric4
XF86Numeric5 XF86Numeric6 XF86Numeric7 XF86Numeric8 XF86Numeric9 XF86NumericStar XF86NumericPound XF86NumericA
XF86NumericB XF86NumericC XF86NumericD XF86CameraFocus XF86WPSButton XF86CameraZoomIn:10081215
XF86CameraZoomOut XF86CameraUp XF86CameraDown XF86CameraLeft XF86CameraRight XF86AttendantOn XF86AttendantOff
XF86AttendantToggle XF86LightsToggle XF86ALSToggle:10081230 XF86Buttonconfig:10081240 XF86Taskmanager
XF86Journal XF86ControlPanel XF86AppSelect XF86Screensaver XF86VoiceCommand XF86Assistant
XF86EmojiPicker:10081249 XF86Dictate XF86BrightnessMin:10081250 XF86BrightnessMax
XF86KbdInputAssistPrev:10081260 XF86KbdInputAssistNext XF86KbdInputAssistPrevgroup XF86KbdInputAssistNextgroup
XF86KbdInputAssistAccept XF86KbdInputAssistCancel XF86RightUp XF86RightDown XF86LeftUp XF86LeftDown
XF86RootMenu XF86MediaTopMenu XF86Numeric11 XF86Numeric12 XF86AudioDesc XF863DMode XF86NextFavorite
XF86StopRecord XF86PauseRecord XF86VOD XF86Unmute XF86FastReverse XF86SlowReverse XF86Data
XF86OnScreenKeyboard XF86PrivacyScreenToggle XF86SelectiveScreenshot XF86Macro1:10081290 XF86Macro2 XF86Macro3
XF86Macro4 XF86Macro5 XF86Macro6 XF86Macro7 XF86Macro8 XF86Macro9 XF86Macro10 XF86Macro11 XF86Macro12
XF86Macro13 XF86Macro14 XF86Macro15 XF86Macro16 XF86Macro17 XF86Macro18 XF86Macro19 XF86Macro20 XF86Macro21
XF86Macro22 XF86Macro23 XF86Macro24 XF86Macro25 XF86Macro26 XF86Macro27 XF86Macro28 XF86Macro29 XF86Macro30
XF86MacroRecordStart:100812b0 XF86MacroRecordStop XF86MacroPresetCycle XF86MacroPreset1 XF86MacroPreset2
XF86MacroPreset3 XF86KbdLcdMenu1:100812b8 XF86KbdLcdMenu2 XF86KbdLcdMenu3 XF86KbdLcdMenu4 XF86KbdLcdMenu5
`;
