""" Contains all the data models used in inputs/outputs """

from .account_export import AccountExport
from .answer import Answer
from .api_error_code import ApiErrorCode
from .api_key import ApiKey
from .api_key_list import ApiKeyList
from .applied_correction import AppliedCorrection
from .ask_space_scan_mode import AskSpaceScanMode
from .attribute import Attribute
from .audit_entry import AuditEntry
from .audit_entry_detail import AuditEntryDetail
from .audit_entry_list import AuditEntryList
from .auto_recharge import AutoRecharge
from .b_box import BBox
from .basis import Basis
from .because import Because
from .billing_entry import BillingEntry
from .billing_entry_list import BillingEntryList
from .billing_statement import BillingStatement
from .board import Board
from .board_cell import BoardCell
from .board_row import BoardRow
from .cancel_scan_scan_mode import CancelScanScanMode
from .card_form import CardForm
from .change import Change
from .change_kind import ChangeKind
from .charge import Charge
from .charge_kind import ChargeKind
from .citation import Citation
from .claim import Claim
from .closed_account import ClosedAccount
from .compared import Compared
from .compared_by import ComparedBy
from .complete_card_form_scan_mode import CompleteCardFormScanMode
from .completed_card_form import CompletedCardForm
from .confirmation import Confirmation
from .correct_document_scan_mode import CorrectDocumentScanMode
from .corrected_field import CorrectedField
from .correction import Correction
from .correction_list import CorrectionList
from .corrections import Corrections
from .count import Count
from .create_key_scan_mode import CreateKeyScanMode
from .create_scan_scan_mode import CreateScanScanMode
from .create_share_scan_mode import CreateShareScanMode
from .create_space_scan_mode import CreateSpaceScanMode
from .create_top_up_scan_mode import CreateTopUpScanMode
from .create_webhook_endpoint_scan_mode import CreateWebhookEndpointScanMode
from .credentials import Credentials
from .delete_correction_scan_mode import DeleteCorrectionScanMode
from .delete_space_scan_mode import DeleteSpaceScanMode
from .delete_webhook_endpoint_scan_mode import DeleteWebhookEndpointScanMode
from .diff import Diff
from .diff_space_scan_mode import DiffSpaceScanMode
from .disable_webhook_endpoint_scan_mode import DisableWebhookEndpointScanMode
from .document_corrections import DocumentCorrections
from .email_change import EmailChange
from .enable_webhook_endpoint_scan_mode import EnableWebhookEndpointScanMode
from .entry_kind import EntryKind
from .error import Error
from .error_detail import ErrorDetail
from .event import Event
from .event_data import EventData
from .event_list import EventList
from .event_type import EventType
from .evidence import Evidence
from .export_state import ExportState
from .fact import Fact
from .failure_code import FailureCode
from .farewell import Farewell
from .field_error import FieldError
from .forgotten import Forgotten
from .frame import Frame
from .frame_input import FrameInput
from .frames_scan_input import FramesScanInput
from .frames_scan_input_kind import FramesScanInputKind
from .get_auto_recharge_scan_mode import GetAutoRechargeScanMode
from .get_billing_statement_scan_mode import GetBillingStatementScanMode
from .get_event_scan_mode import GetEventScanMode
from .get_key_scan_mode import GetKeyScanMode
from .get_openapi_response_200 import GetOpenapiResponse200
from .get_payment_method_scan_mode import GetPaymentMethodScanMode
from .get_scan_of_space_scan_mode import GetScanOfSpaceScanMode
from .get_scan_scan_mode import GetScanScanMode
from .get_skill_scan_mode import GetSkillScanMode
from .get_space_scan_mode import GetSpaceScanMode
from .get_top_up_scan_mode import GetTopUpScanMode
from .get_wallet_scan_mode import GetWalletScanMode
from .get_webhook_endpoint_scan_mode import GetWebhookEndpointScanMode
from .hidden_parts import HiddenParts
from .holding import Holding
from .input_kind import InputKind
from .interval import Interval
from .key import Key
from .key_changes import KeyChanges
from .key_use import KeyUse
from .key_use_list import KeyUseList
from .list_billing_entries_scan_mode import ListBillingEntriesScanMode
from .list_corrections_scan_mode import ListCorrectionsScanMode
from .list_events_scan_mode import ListEventsScanMode
from .list_events_type import ListEventsType
from .list_key_uses_scan_mode import ListKeyUsesScanMode
from .list_keys_scan_mode import ListKeysScanMode
from .list_scans_scan_mode import ListScansScanMode
from .list_shares_scan_mode import ListSharesScanMode
from .list_spaces_scan_mode import ListSpacesScanMode
from .list_top_ups_scan_mode import ListTopUpsScanMode
from .list_webhook_attempts_scan_mode import ListWebhookAttemptsScanMode
from .list_webhook_deliveries_scan_mode import ListWebhookDeliveriesScanMode
from .list_webhook_endpoints_scan_mode import ListWebhookEndpointsScanMode
from .mail_request import MailRequest
from .match import Match
from .me import Me
from .measurement import Measurement
from .medium import Medium
from .method import Method
from .mode import Mode
from .narration import Narration
from .new_api_key import NewApiKey
from .new_auto_recharge import NewAutoRecharge
from .new_correction import NewCorrection
from .new_key import NewKey
from .new_payment_method import NewPaymentMethod
from .new_scan import NewScan
from .new_share import NewShare
from .new_space import NewSpace
from .new_top_up import NewTopUp
from .new_user import NewUser
from .new_webhook_endpoint import NewWebhookEndpoint
from .open_card_form_scan_mode import OpenCardFormScanMode
from .open_session import OpenSession
from .open_session_list import OpenSessionList
from .opening import Opening
from .password_change import PasswordChange
from .password_confirmation import PasswordConfirmation
from .payment_kind import PaymentKind
from .payment_method import PaymentMethod
from .payment_state import PaymentState
from .privacy_flag import PrivacyFlag
from .progress import Progress
from .put_frame_scan_mode import PutFrameScanMode
from .put_video_scan_mode import PutVideoScanMode
from .quality import Quality
from .question import Question
from .reason import Reason
from .receive_bank_webhook_body import ReceiveBankWebhookBody
from .relation import Relation
from .remove_payment_method_scan_mode import RemovePaymentMethodScanMode
from .replay import Replay
from .replay_events_scan_mode import ReplayEventsScanMode
from .reset import Reset
from .retry_scan import RetryScan
from .retry_scan_scan_mode import RetryScanScanMode
from .revoke_key_scan_mode import RevokeKeyScanMode
from .revoke_share_scan_mode import RevokeShareScanMode
from .roll import Roll
from .roll_key_scan_mode import RollKeyScanMode
from .rotate_secret import RotateSecret
from .rotate_webhook_secret_scan_mode import RotateWebhookSecretScanMode
from .run import Run
from .run_parameters import RunParameters
from .scan import Scan
from .scan_failure import ScanFailure
from .scan_list import ScanList
from .scan_status import ScanStatus
from .scan_with_document import ScanWithDocument
from .scope import Scope
from .search_hit import SearchHit
from .search_hit_list import SearchHitList
from .search_scan_mode import SearchScanMode
from .sentence import Sentence
from .session import Session
from .session_account import SessionAccount
from .session_user import SessionUser
from .set_auto_recharge_scan_mode import SetAutoRechargeScanMode
from .set_payment_method_scan_mode import SetPaymentMethodScanMode
from .share import Share
from .share_list import ShareList
from .share_with_url import ShareWithUrl
from .shared_document import SharedDocument
from .shown_evidence import ShownEvidence
from .side import Side
from .sign_up import SignUp
from .skill import Skill
from .skill_file import SkillFile
from .space import Space
from .space_changes import SpaceChanges
from .space_document import SpaceDocument
from .space_list import SpaceList
from .space_object import SpaceObject
from .space_with_document import SpaceWithDocument
from .stage import Stage
from .start_scan import StartScan
from .start_scan_scan_mode import StartScanScanMode
from .statement_total import StatementTotal
from .status import Status
from .stream_events_scan_mode import StreamEventsScanMode
from .subject import Subject
from .test_send import TestSend
from .test_webhook_endpoint_scan_mode import TestWebhookEndpointScanMode
from .text import Text
from .timeline_entry import TimelineEntry
from .top_up import TopUp
from .top_up_list import TopUpList
from .transcript import Transcript
from .transcript_segment import TranscriptSegment
from .update_key_scan_mode import UpdateKeyScanMode
from .update_space_scan_mode import UpdateSpaceScanMode
from .update_webhook_endpoint_scan_mode import UpdateWebhookEndpointScanMode
from .upload_instructions import UploadInstructions
from .upload_instructions_headers import UploadInstructionsHeaders
from .user import User
from .video_input import VideoInput
from .video_scan_input import VideoScanInput
from .video_scan_input_kind import VideoScanInputKind
from .wait_cause import WaitCause
from .waiting import Waiting
from .wallet import Wallet
from .warning import Warning_
from .webhook_attempt import WebhookAttempt
from .webhook_attempt_list import WebhookAttemptList
from .webhook_delivery import WebhookDelivery
from .webhook_delivery_list import WebhookDeliveryList
from .webhook_delivery_status import WebhookDeliveryStatus
from .webhook_endpoint import WebhookEndpoint
from .webhook_endpoint_changes import WebhookEndpointChanges
from .webhook_endpoint_list import WebhookEndpointList
from .webhook_endpoint_with_secret import WebhookEndpointWithSecret
from .webhook_test import WebhookTest
from .webhook_test_error import WebhookTestError
from .zone import Zone
from .zone_match import ZoneMatch

__all__ = (
    "AccountExport",
    "Answer",
    "ApiErrorCode",
    "ApiKey",
    "ApiKeyList",
    "AppliedCorrection",
    "AskSpaceScanMode",
    "Attribute",
    "AuditEntry",
    "AuditEntryDetail",
    "AuditEntryList",
    "AutoRecharge",
    "Basis",
    "BBox",
    "Because",
    "BillingEntry",
    "BillingEntryList",
    "BillingStatement",
    "Board",
    "BoardCell",
    "BoardRow",
    "CancelScanScanMode",
    "CardForm",
    "Change",
    "ChangeKind",
    "Charge",
    "ChargeKind",
    "Citation",
    "Claim",
    "ClosedAccount",
    "Compared",
    "ComparedBy",
    "CompleteCardFormScanMode",
    "CompletedCardForm",
    "Confirmation",
    "CorrectDocumentScanMode",
    "CorrectedField",
    "Correction",
    "CorrectionList",
    "Corrections",
    "Count",
    "CreateKeyScanMode",
    "CreateScanScanMode",
    "CreateShareScanMode",
    "CreateSpaceScanMode",
    "CreateTopUpScanMode",
    "CreateWebhookEndpointScanMode",
    "Credentials",
    "DeleteCorrectionScanMode",
    "DeleteSpaceScanMode",
    "DeleteWebhookEndpointScanMode",
    "Diff",
    "DiffSpaceScanMode",
    "DisableWebhookEndpointScanMode",
    "DocumentCorrections",
    "EmailChange",
    "EnableWebhookEndpointScanMode",
    "EntryKind",
    "Error",
    "ErrorDetail",
    "Event",
    "EventData",
    "EventList",
    "EventType",
    "Evidence",
    "ExportState",
    "Fact",
    "FailureCode",
    "Farewell",
    "FieldError",
    "Forgotten",
    "Frame",
    "FrameInput",
    "FramesScanInput",
    "FramesScanInputKind",
    "GetAutoRechargeScanMode",
    "GetBillingStatementScanMode",
    "GetEventScanMode",
    "GetKeyScanMode",
    "GetOpenapiResponse200",
    "GetPaymentMethodScanMode",
    "GetScanOfSpaceScanMode",
    "GetScanScanMode",
    "GetSkillScanMode",
    "GetSpaceScanMode",
    "GetTopUpScanMode",
    "GetWalletScanMode",
    "GetWebhookEndpointScanMode",
    "HiddenParts",
    "Holding",
    "InputKind",
    "Interval",
    "Key",
    "KeyChanges",
    "KeyUse",
    "KeyUseList",
    "ListBillingEntriesScanMode",
    "ListCorrectionsScanMode",
    "ListEventsScanMode",
    "ListEventsType",
    "ListKeysScanMode",
    "ListKeyUsesScanMode",
    "ListScansScanMode",
    "ListSharesScanMode",
    "ListSpacesScanMode",
    "ListTopUpsScanMode",
    "ListWebhookAttemptsScanMode",
    "ListWebhookDeliveriesScanMode",
    "ListWebhookEndpointsScanMode",
    "MailRequest",
    "Match",
    "Me",
    "Measurement",
    "Medium",
    "Method",
    "Mode",
    "Narration",
    "NewApiKey",
    "NewAutoRecharge",
    "NewCorrection",
    "NewKey",
    "NewPaymentMethod",
    "NewScan",
    "NewShare",
    "NewSpace",
    "NewTopUp",
    "NewUser",
    "NewWebhookEndpoint",
    "OpenCardFormScanMode",
    "Opening",
    "OpenSession",
    "OpenSessionList",
    "PasswordChange",
    "PasswordConfirmation",
    "PaymentKind",
    "PaymentMethod",
    "PaymentState",
    "PrivacyFlag",
    "Progress",
    "PutFrameScanMode",
    "PutVideoScanMode",
    "Quality",
    "Question",
    "Reason",
    "ReceiveBankWebhookBody",
    "Relation",
    "RemovePaymentMethodScanMode",
    "Replay",
    "ReplayEventsScanMode",
    "Reset",
    "RetryScan",
    "RetryScanScanMode",
    "RevokeKeyScanMode",
    "RevokeShareScanMode",
    "Roll",
    "RollKeyScanMode",
    "RotateSecret",
    "RotateWebhookSecretScanMode",
    "Run",
    "RunParameters",
    "Scan",
    "ScanFailure",
    "ScanList",
    "ScanStatus",
    "ScanWithDocument",
    "Scope",
    "SearchHit",
    "SearchHitList",
    "SearchScanMode",
    "Sentence",
    "Session",
    "SessionAccount",
    "SessionUser",
    "SetAutoRechargeScanMode",
    "SetPaymentMethodScanMode",
    "Share",
    "SharedDocument",
    "ShareList",
    "ShareWithUrl",
    "ShownEvidence",
    "Side",
    "SignUp",
    "Skill",
    "SkillFile",
    "Space",
    "SpaceChanges",
    "SpaceDocument",
    "SpaceList",
    "SpaceObject",
    "SpaceWithDocument",
    "Stage",
    "StartScan",
    "StartScanScanMode",
    "StatementTotal",
    "Status",
    "StreamEventsScanMode",
    "Subject",
    "TestSend",
    "TestWebhookEndpointScanMode",
    "Text",
    "TimelineEntry",
    "TopUp",
    "TopUpList",
    "Transcript",
    "TranscriptSegment",
    "UpdateKeyScanMode",
    "UpdateSpaceScanMode",
    "UpdateWebhookEndpointScanMode",
    "UploadInstructions",
    "UploadInstructionsHeaders",
    "User",
    "VideoInput",
    "VideoScanInput",
    "VideoScanInputKind",
    "WaitCause",
    "Waiting",
    "Wallet",
    "Warning_",
    "WebhookAttempt",
    "WebhookAttemptList",
    "WebhookDelivery",
    "WebhookDeliveryList",
    "WebhookDeliveryStatus",
    "WebhookEndpoint",
    "WebhookEndpointChanges",
    "WebhookEndpointList",
    "WebhookEndpointWithSecret",
    "WebhookTest",
    "WebhookTestError",
    "Zone",
    "ZoneMatch",
)
