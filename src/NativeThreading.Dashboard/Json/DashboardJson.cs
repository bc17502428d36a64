using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization;

namespace NativeThreading.Dashboard.Json;

/// <summary>Serialization without reflection, for trimmed and native applications.</summary>
[SuppressMessage("ApiDesign", "RS0030", Justification = "What the framework generates names flags of reflection, and reaches into nothing but our own types.")]
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Sample))]
[JsonSerializable(typeof(StacksSample))]
internal sealed partial class DashboardJson : JsonSerializerContext;
